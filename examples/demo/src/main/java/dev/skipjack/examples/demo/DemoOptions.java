package dev.skipjack.examples.demo;

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
   * Opens the input. If a number of jobs is set, all ids are fresh, so the file can be sent
   * repeatedly, within a run and by later runs.
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

    /** Deliveries to send, one JSON object per line. Default: generated deliveries. */
    public Builder input(Path file) {
      this.input = file;
      return this;
    }

    /**
     * Number of distinct deliveries to send; the input is repeated or truncated, with fresh ids.
     * Default: the input once, or 1,000 generated deliveries.
     */
    public Builder jobs(long number) {
      if (number < 1) {
        throw new IllegalArgumentException(
            "--jobs is %d, but at least 1 delivery is needed.".formatted(number));
      }
      this.jobs = OptionalLong.of(number);
      return this;
    }

    /** Number of workers with 8 handlers each, 1 to 32. Default 2. */
    public Builder workers(int number) {
      if (number < 1 || number > MOST_WORKERS) {
        throw new IllegalArgumentException(
            "--workers is %d, but must be 1 to %d.".formatted(number, MOST_WORKERS));
      }
      this.workers = number;
      return this;
    }

    /** The database to run on. Default: an embedded PostgreSQL, whose data is kept. */
    public Builder database(DemoTarget target) {
      this.database = target;
      return this;
    }

    /** Purpose of the embedded PostgreSQL; data of other purposes is not touched. */
    public Builder server(String purpose) {
      this.server = purpose;
      return this;
    }

    /** Sends nothing; finishes and verifies the jobs that an earlier run left. */
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
