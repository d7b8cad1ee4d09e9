package dev.skipjack.spring;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.DeadLetterGroup;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.spring.OutboxReport.Source;
import dev.skipjack.store.jooq.JobQueue;
import java.security.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.lang.Nullable;

/**
 * The actuator endpoint {@code skipjack}: shows queues, workers, dead letters and the outbox,
 * explains the state of a job, pauses and resumes queues, and redrives dead jobs.
 *
 * <p>It is only available over HTTP, because its responses have a status. Error messages of jobs
 * appear as they are stored; payloads, headers, results and stack traces are never read.
 *
 * <p>Uses Spring's {@code @Nullable}, the only one by which Spring Boot 3 recognizes a parameter as
 * optional.
 */
@WebEndpoint(id = "skipjack")
@RegisterReflectionForBinding({
  SkipjackEndpoint.Overview.class,
  SkipjackEndpoint.Page.class,
  SkipjackEndpoint.Explanation.class,
  SkipjackEndpoint.Message.class,
  QueueReport.class,
  SkipjackEndpoint.Worker.class,
  SkipjackEndpoint.DeadLetters.class,
  OutboxReport.class
})
final class SkipjackEndpoint {

  private static final int DEFAULT_LIMIT = 100;
  private static final int LARGEST_LIMIT = 1_000;
  private static final int LONGEST_ACTOR = 200;

  private static final int STATUS_CONFLICT = 409;

  private final JobQueue queue;
  private final @Nullable Source outbox;

  /**
   * @param outbox reads the outbox; null if the application has none
   */
  SkipjackEndpoint(JobQueue queue, @Nullable Source outbox) {
    this.queue = queue;
    this.outbox = outbox;
  }

  /** The first entries of each list. */
  record Overview(Page queues, Page workers, Page deadLetters) {}

  /**
   * The beginning of a list.
   *
   * @param total the length of the list. The lists of workers and of dead letters end after 1,000
   */
  record Page(List<?> items, int total) {

    static Page of(List<?> all, int limit) {
      return new Page(all.stream().limit(limit).toList(), all.size());
    }
  }

  /** A worker, without its settings. */
  record Worker(
      String name,
      String bootId,
      @Nullable String host,
      @Nullable Long pid,
      List<String> queues,
      List<String> kinds,
      Instant startedAt,
      Instant seenAt) {

    static Worker of(WorkerInfo info) {
      return new Worker(
          info.name(),
          info.bootId().toString(),
          info.host(),
          info.pid(),
          info.queues(),
          info.kinds(),
          info.startedAt(),
          info.seenAt());
    }
  }

  /**
   * Dead jobs with the same queue, kind and error.
   *
   * @param example the id of the newest of them
   */
  record DeadLetters(
      String queue,
      String kind,
      String error,
      @Nullable String errorClass,
      long jobs,
      boolean atLeast,
      long example,
      Instant firstDiedAt,
      Instant lastDiedAt) {

    static DeadLetters of(DeadLetterGroup group) {
      return new DeadLetters(
          group.queue(),
          group.kind(),
          group.error(),
          group.errorClass(),
          group.jobs(),
          group.atLeast(),
          group.example().value(),
          group.firstDiedAt(),
          group.lastDiedAt());
    }
  }

  /** The reason why a job is in its current state. */
  record Explanation(
      long job,
      JobExplanation.Reason reason,
      String sentence,
      Map<String, String> evidence,
      @Nullable Fix fix) {

    static Explanation of(JobExplanation why) {
      return new Explanation(
          why.job().value(), why.reason(), why.sentence(), why.evidence(), why.fix());
    }
  }

  /** The result of a command, or why a request was rejected. */
  record Message(String message) {}

  /** Handles {@code GET /actuator/skipjack}. */
  @ReadOperation
  Overview overview() {
    JobReader reader = queue.reader();
    return new Overview(
        queues(reader, DEFAULT_LIMIT),
        workers(reader, DEFAULT_LIMIT),
        deadLetters(reader, DEFAULT_LIMIT));
  }

  /**
   * Handles {@code GET /actuator/skipjack/queues}, {@code workers}, {@code dead-letters} and {@code
   * outbox}.
   */
  @ReadOperation
  WebEndpointResponse<Object> list(@Selector String list, @Nullable String limit) {
    int size = limit == null ? DEFAULT_LIMIT : number(limit);
    if (size < 1 || size > LARGEST_LIMIT) {
      return badRequest("Limit '%s' is not a number in 1..%d.".formatted(limit, LARGEST_LIMIT));
    }
    JobReader reader = queue.reader();
    return switch (list) {
      case "queues" -> ok(queues(reader, size));
      case "workers" -> ok(workers(reader, size));
      case "dead-letters" -> ok(deadLetters(reader, size));
      case "outbox" -> outbox(size);
      default ->
          notFound(
              "There is no list '%s'. Use queues, workers, dead-letters, outbox or why/{job}."
                  .formatted(list));
    };
  }

  private WebEndpointResponse<Object> outbox(int limit) {
    return outbox == null
        ? notFound("The application has no outbox. Add skipjack-outbox to its dependencies.")
        : ok(outbox.report(limit));
  }

  /** Returns the number, or 0, which is not a valid limit, if the text is not a number. */
  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException notANumber) {
      return 0;
    }
  }

  private static Page queues(JobReader reader, int limit) {
    return Page.of(QueueReport.all(reader), limit);
  }

  private static Page workers(JobReader reader, int limit) {
    return Page.of(reader.workers().stream().map(Worker::of).toList(), limit);
  }

  private static Page deadLetters(JobReader reader, int limit) {
    return Page.of(reader.deadLetters().stream().map(DeadLetters::of).toList(), limit);
  }

  /** Handles {@code GET /actuator/skipjack/why/{job}}. */
  @ReadOperation
  WebEndpointResponse<Object> explain(@Selector String question, @Selector String job) {
    if (!question.equals("why")) {
      return notFound("There is no question '%s' about a job. Use why/{job}.".formatted(question));
    }
    Optional<JobId> id = id(job);
    if (id.isEmpty()) {
      return noId(job);
    }
    return id.flatMap(queue.reader()::why)
        .map(Explanation::of)
        .map(SkipjackEndpoint::ok)
        .orElseGet(() -> noJob(job));
  }

  /**
   * Handles {@code POST /actuator/skipjack/pause/{queue}}, {@code resume/{queue}} and {@code
   * redrive/{job}}.
   *
   * @param duration how long to pause the queue; null to pause it until it is resumed
   * @param reason why the queue is paused; null if that is not recorded
   */
  @WriteOperation
  WebEndpointResponse<Object> command(
      @Selector String command,
      @Selector String target,
      @Nullable String duration,
      @Nullable String reason,
      SecurityContext security) {
    return switch (command) {
      case "pause" -> pause(target, duration, reason, security.getPrincipal());
      case "resume" -> resume(target);
      case "redrive" -> redrive(target);
      default ->
          notFound(
              "There is no command '%s'. Use pause/{queue}, resume/{queue} or redrive/{job}."
                  .formatted(command));
    };
  }

  private WebEndpointResponse<Object> pause(
      String name, @Nullable String duration, @Nullable String reason, @Nullable Principal by) {
    QueuePause pause;
    try {
      pause =
          new QueuePause(
              duration == null ? null : DurationStyle.detectAndParse(duration),
              by == null ? null : actor(by),
              reason);
    } catch (IllegalArgumentException invalid) {
      return badRequest(String.valueOf(invalid.getMessage()));
    }
    if (find(name).isEmpty()) {
      return noQueue(name);
    }
    queue.admin().pause(name, pause);
    return shown(name);
  }

  private static @Nullable String actor(Principal principal) {
    String name = principal.getName();
    return name == null || name.isBlank()
        ? null
        : name.substring(0, Math.min(LONGEST_ACTOR, name.length()));
  }

  private WebEndpointResponse<Object> resume(String name) {
    if (find(name).isEmpty()) {
      return noQueue(name);
    }
    queue.admin().resume(name);
    return shown(name);
  }

  private WebEndpointResponse<Object> shown(String name) {
    return find(name).map(SkipjackEndpoint::ok).orElseGet(() -> noQueue(name));
  }

  private Optional<QueueReport> find(String name) {
    return QueueReport.all(queue.reader()).stream()
        .filter(report -> report.name().equals(name))
        .findFirst();
  }

  private WebEndpointResponse<Object> redrive(String job) {
    Optional<JobId> id = id(job);
    if (id.isEmpty()) {
      return noId(job);
    }
    RedriveResult result = queue.admin().redrive(List.of(id.get())).get(0);
    if (result instanceof RedriveResult.Redriven) {
      return ok(new Message("Job %s is pending, with fresh attempts.".formatted(job)));
    }
    if (result instanceof RedriveResult.Gone) {
      return notFound("Job %s has ended or does not exist.".formatted(job));
    }
    return conflict("Job %s was not redriven, because %s".formatted(job, reason(result)));
  }

  static String reason(RedriveResult result) {
    if (result instanceof RedriveResult.Conflict conflict) {
      return "job %s holds its unique key.".formatted(conflict.holder());
    }
    return result instanceof RedriveResult.NotDead
        ? "it is not dead."
        : "another transaction has locked it. Try again.";
  }

  private static Optional<JobId> id(String text) {
    try {
      return Optional.of(Long.parseLong(text)).filter(id -> id > 0).map(JobId::new);
    } catch (NumberFormatException notAnId) {
      return Optional.empty();
    }
  }

  private static WebEndpointResponse<Object> noId(String text) {
    return badRequest("Job id '%s' is not a positive number.".formatted(text));
  }

  private static WebEndpointResponse<Object> noJob(String id) {
    return notFound("Job %s does not exist, or its history has been pruned.".formatted(id));
  }

  private static WebEndpointResponse<Object> noQueue(String name) {
    return notFound("There is no queue '%s': no job, setting or worker names it.".formatted(name));
  }

  private static WebEndpointResponse<Object> ok(Object body) {
    return new WebEndpointResponse<>(body);
  }

  private static WebEndpointResponse<Object> badRequest(String message) {
    return new WebEndpointResponse<>(new Message(message), WebEndpointResponse.STATUS_BAD_REQUEST);
  }

  private static WebEndpointResponse<Object> notFound(String message) {
    return new WebEndpointResponse<>(new Message(message), WebEndpointResponse.STATUS_NOT_FOUND);
  }

  private static WebEndpointResponse<Object> conflict(String message) {
    return new WebEndpointResponse<>(new Message(message), STATUS_CONFLICT);
  }
}
