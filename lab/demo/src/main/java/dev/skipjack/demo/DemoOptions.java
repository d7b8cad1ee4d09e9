package dev.skipjack.demo;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a run of the demo. The defaults send 1,000 generated deliveries to an embedded
 * PostgreSQL, with 2 workers.
 */
public final class DemoOptions {

  private static final long GENERATED = 1_000;
  private static final int MOST_WORKERS = 32;

  private final @Nullable Path input;
  private final OptionalLong jobs;
  private final int workers;
  private final @Nullable DemoTarget database;
  private final String server;
  private final boolean resume;

  private DemoOptions(Builder builder) {
    this.input = builder.input;
    this.jobs = builder.jobs;
    this.workers = builder.workers;
    this.database = builder.database;
    this.server = builder.server;
    this.resume = builder.resume;
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  Optional<Path> input() {
    return Optional.ofNullable(input);
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

  /** Returns the number of deliveries; empty if it depends on the length of the input. */
  OptionalLong expected() {
    return jobs.isPresent() || input != null ? jobs : OptionalLong.of(GENERATED);
  }

  /**
   * Opens the input. If a number of jobs is set, all deliveries get fresh ids, so the same file can
   * be sent repeatedly, within a run or in later runs.
   *
   * @throws BadInputException if the input cannot be read
   */
  DeliverySource open(UUID run) {
    Path file = input;
    if (file == null) {
      return new WebhookGenerator(run, jobs.orElse(GENERATED));
    }
    return jobs.isEmpty()
        ? JsonLinesFile.open(file)
        : new FreshDeliveries(() -> JsonLinesFile.open(file), run, jobs.getAsLong());
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

  /** A builder for the settings. The messages of its exceptions name the command's options. */
  public static final class Builder {

    private @Nullable Path input;
    private OptionalLong jobs = OptionalLong.empty();
    private int workers = 2;
    private @Nullable DemoTarget database;
    private String server = "demo";
    private boolean resume;

    private Builder() {}

    /**
     * Sets the file of deliveries to send, with one JSON object per line. By default, deliveries
     * are generated.
     */
    public Builder input(Path file) {
      this.input = file;
      return this;
    }

    /**
     * Sets the number of distinct deliveries to send. The input is repeated or truncated, and its
     * deliveries get fresh ids. By default, the input is sent once or, without an input, 1,000
     * deliveries are generated.
     */
    public Builder jobs(long number) {
      if (number < 1) {
        throw new IllegalArgumentException(
            "--jobs is %d, but at least 1 delivery is needed.".formatted(number));
      }
      this.jobs = OptionalLong.of(number);
      return this;
    }

    /** Sets the number of workers, from 1 to 32, each with 8 handlers. Defaults to 2. */
    public Builder workers(int number) {
      if (number < 1 || number > MOST_WORKERS) {
        throw new IllegalArgumentException(
            "--workers is %d, but must be 1 to %d.".formatted(number, MOST_WORKERS));
      }
      this.workers = number;
      return this;
    }

    /**
     * Sets the database to run on. By default, an embedded PostgreSQL is started, whose data is
     * kept.
     */
    public Builder database(DemoTarget target) {
      this.database = target;
      return this;
    }

    /** Sets the purpose of the embedded PostgreSQL. The data of other purposes is not touched. */
    public Builder server(String purpose) {
      this.server = purpose;
      return this;
    }

    /**
     * Resumes an earlier run: sends nothing, and finishes and verifies the jobs that the run left.
     */
    public Builder resume() {
      this.resume = true;
      return this;
    }

    /**
     * Builds the settings.
     *
     * @throws IllegalArgumentException if resuming is combined with options for sending
     */
    public DemoOptions build() {
      if (resume && (jobs.isPresent() || input != null)) {
        throw new IllegalArgumentException("--resume sends nothing: leave out --jobs and --input.");
      }
      return new DemoOptions(this);
    }
  }
}
