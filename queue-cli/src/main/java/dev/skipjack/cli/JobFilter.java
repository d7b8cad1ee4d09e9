package dev.skipjack.cli;

import dev.skipjack.api.JobQuery;
import dev.skipjack.api.JobStatus;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that select jobs. */
final class JobFilter {

  @Option(names = "--queue", paramLabel = "NAME", description = "Only jobs of this queue.")
  private @Nullable String queue;

  @Option(names = "--kind", paramLabel = "NAME", description = "Only jobs of this kind.")
  private @Nullable String kind;

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      description =
          "Only jobs with this status: pending, running, waiting or dead; or, of the archive, completed or cancelled.")
  private @Nullable JobStatus status;

  @Option(names = "--tag", paramLabel = "TAG", description = "Only jobs with this tag.")
  private @Nullable String tag;

  @Option(
      names = "--error",
      paramLabel = "TEXT",
      description = "Only jobs whose last error contains this text, ignoring case.")
  private @Nullable String error;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Only jobs that were enqueued since then or, of the archive, that ended since then: a time such as 2026-12-01T08:00:00Z, or how long ago, for example 2h.")
  private @Nullable String since;

  @Option(
      names = "--payload",
      paramLabel = "FIELD=VALUE",
      description =
          "Only jobs whose payload has this value in this field, for example user.id=7. Slower than other filters.")
  private @Nullable String payload;

  /** Returns whether no option was given. */
  boolean isEmpty() {
    return Stream.of(queue, kind, status, tag, error, since, payload).allMatch(Objects::isNull);
  }

  /** Returns whether the status is one that only the archive contains. */
  boolean selectsEnded() {
    return status != null && !status.isLive();
  }

  /**
   * Returns a query with the options added.
   *
   * @throws CommandFailure if an option has a wrong form
   */
  JobQuery applyTo(JobQuery all) {
    JobQuery query = all;
    if (queue != null) {
      query = query.queue(queue);
    }
    if (kind != null) {
      query = query.kind(kind);
    }
    if (status != null) {
      query = query.status(status);
    }
    if (tag != null) {
      query = query.tag(tag);
    }
    if (error != null) {
      query = query.error(error);
    }
    if (since != null) {
      query = query.since(instant(since));
    }
    if (payload != null) {
      int equals = payload.indexOf('=');
      if (equals < 1) {
        throw CommandFailure.input(
            "--payload is '%s', but must be a field, '=' and a value, for example user.id=7."
                .formatted(Cell.safe(payload)));
      }
      query = query.payload(payload.substring(0, equals), payload.substring(equals + 1));
    }
    return query;
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException noTime) {
      try {
        return Instant.now().minus(new DurationText().convert(text));
      } catch (TypeConversionException neither) {
        throw CommandFailure.input(
            "--since is '%s', but must be a time such as 2026-12-01T08:00:00Z, or how long ago, for example 2h."
                .formatted(Cell.safe(text)));
      }
    }
  }
}
