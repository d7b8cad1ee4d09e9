package dev.skipjack.demo;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a run of the demo. The defaults send 1,000 generated deliveries to an embedded
 * PostgreSQL, with 2 workers.
 */
public final class DemoOptions {

  private static final long GENERATED = 1_000;
  private static final int MOST_WORKERS = 32;

  private @Nullable Path input;
  private OptionalLong jobs = OptionalLong.empty();
  private int workers = 2;
  private @Nullable DemoTarget database;
  private String server = "demo";
  private boolean resume;

  private DemoOptions() {}

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  int workers() {
    return workers;
  }

  Optional<DemoTarget> database() {
    return Optional.ofNullable(database);
  }

  String server() {
    return server;
  }

  boolean resume() {
    return resume;
  }

  /** Returns the deliveries to send: none to resume. */
  Deliveries deliveries() {
    if (resume) {
      return Deliveries.generated(0);
    }
    return input == null
        ? Deliveries.generated(jobs.orElse(GENERATED))
        : Deliveries.of(input, jobs);
  }

  /** Omits the password of the database; shows a dash for settings that were not given. */
  @Override
  public String toString() {
    return "DemoOptions[input=%s, jobs=%s, workers=%d, database=%s, resume=%b]"
        .formatted(
            input == null ? "-" : input,
            jobs.isPresent() ? jobs.getAsLong() : "-",
            workers,
            database == null ? "-" : database,
            resume);
  }

  /** A builder for one run's settings. Its exceptions name the options of the command. */
  public static final class Builder {

    private final DemoOptions options = new DemoOptions();

    private Builder() {}

    /** Sets the file of deliveries, one JSON object per line. Default: generated deliveries. */
    public Builder input(Path file) {
      options.input = file;
      return this;
    }

    /**
     * Sets the number of distinct deliveries to send. The input is repeated or truncated, and its
     * deliveries get new ids. By default, the input is sent once or, without an input, 1,000
     * deliveries are generated.
     */
    public Builder jobs(long number) {
      if (number < 1) {
        throw new IllegalArgumentException(
            "--jobs is %d, but at least 1 delivery is needed.".formatted(number));
      }
      options.jobs = OptionalLong.of(number);
      return this;
    }

    /** Sets the number of workers, from 1 to 32, each with 8 handlers. Default: 2. */
    public Builder workers(int number) {
      if (number < 1 || number > MOST_WORKERS) {
        throw new IllegalArgumentException(
            "--workers is %d, but must be 1 to %d.".formatted(number, MOST_WORKERS));
      }
      options.workers = number;
      return this;
    }

    /** Sets the database. Default: an embedded PostgreSQL is started, whose data is kept. */
    public Builder database(DemoTarget target) {
      options.database = target;
      return this;
    }

    /** Sets the purpose of the embedded PostgreSQL. The data of other purposes is not touched. */
    public Builder server(String purpose) {
      options.server = purpose;
      return this;
    }

    /** Sends nothing, and finishes and verifies the jobs that an earlier run left. */
    public Builder resume() {
      options.resume = true;
      return this;
    }

    /**
     * Returns the settings. The builder must not be used again.
     *
     * @throws IllegalArgumentException if resuming is combined with options for sending
     */
    public DemoOptions build() {
      if (options.resume && (options.jobs.isPresent() || options.input != null)) {
        throw new IllegalArgumentException("--resume sends nothing: leave out --jobs and --input.");
      }
      return options;
    }
  }
}
