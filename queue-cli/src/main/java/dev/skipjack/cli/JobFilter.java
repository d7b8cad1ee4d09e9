package dev.skipjack.cli;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobQuery;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that select jobs in any status. */
class JobFilter {

  /** The options that select jobs, including one for their status. */
  static final class WithStatus extends JobFilter {

    @Option(
        names = "--status",
        paramLabel = "STATUS",
        completionCandidates = Statuses.class,
        description = "Only jobs with this status: ${COMPLETION-CANDIDATES}.")
    private @Nullable JobStatus status;

    /** The names of all statuses, as they are stored and printed. */
    static final class Statuses implements Iterable<String> {

      @Override
      public Iterator<String> iterator() {
        return Arrays.stream(JobStatus.values()).map(JobStatus::literal).iterator();
      }
    }

    @Override
    boolean isEmpty() {
      return status == null && super.isEmpty();
    }

    /** Returns whether the status is one that only the archive contains. */
    boolean selectsEnded() {
      return status != null && !status.isLive();
    }

    @Override
    JobQuery applyTo(JobQuery all) {
      JobQuery query = super.applyTo(all);
      return status == null ? query : query.status(status);
    }
  }

  @Option(names = "--queue", paramLabel = "NAME", description = "Only jobs of this queue.")
  private @Nullable String queue;

  @Option(names = "--kind", paramLabel = "NAME", description = "Only jobs of this kind.")
  private @Nullable String kind;

  @Option(names = "--group", paramLabel = "NAME", description = "Only jobs of this group.")
  private @Nullable String group;

  @Option(names = "--tag", paramLabel = "TAG", description = "Only jobs with this tag.")
  private @Nullable String tag;

  @Option(
      names = "--error",
      paramLabel = "TEXT",
      description = "Only jobs whose last error contains this text, ignoring case.")
  private @Nullable String error;

  @Option(
      names = "--error-class",
      paramLabel = "CLASS",
      description =
          "Only jobs whose last attempt ended with an exception of this class, with or without its package.")
  private @Nullable String errorClass;

  @Option(
      names = "--error-group",
      paramLabel = "TEXT",
      description =
          "Only jobs of one group of 'skipjack dead list': its error, for example 'Order * was not found', or '' for jobs without an error message.")
  private @Nullable String errorGroup;

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

  boolean isEmpty() {
    return Stream.of(queue, kind, group, tag, error, errorClass, errorGroup, since, payload)
        .allMatch(Objects::isNull);
  }

  Optional<String> queue() {
    return Optional.ofNullable(queue);
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
    if (group != null) {
      query = query.group(group);
    }
    if (tag != null) {
      query = query.tag(tag);
    }
    if (error != null) {
      query = query.error(error);
    }
    if (errorClass != null) {
      query = query.errorClass(errorClass);
    }
    if (errorGroup != null) {
      query = query.errorGroup(errorGroup);
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
