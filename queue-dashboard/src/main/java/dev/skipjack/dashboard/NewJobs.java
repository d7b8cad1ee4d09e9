package dev.skipjack.dashboard;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.spi.Headers;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Enqueues a job that a form describes. */
final class NewJobs {

  private static final String SEPARATOR = " ";

  private NewJobs() {}

  /** A user who may not see payloads may not write them either. */
  static void require(Visit visit) {
    if (!visit.access().payloads()) {
      throw Refusal.forbidden("To enqueue a job, you need the right to see payloads.");
    }
  }

  /** Returns the target of a form, which identifies the form and, if there is one, its source. */
  static String target(@Nullable JobId source) {
    return Signer.random() + (source == null ? "" : SEPARATOR + source);
  }

  /**
   * Enqueues the job, once for each form that was shown: a form that is sent again leads to the job
   * that it enqueued before.
   */
  static Link enqueue(Visit visit) {
    require(visit);
    String[] target = Session.target(visit.request()).split(SEPARATOR, 2);
    String key = "form-" + target[0];
    EnqueueResult result =
        target.length == 1
            ? enqueueNew(visit, key)
            : enqueueCopy(new JobId(Long.parseLong(target[1])), visit, key);
    return visit.link("/jobs/" + result.jobId()).with("note", Note.ENQUEUED.code());
  }

  private static EnqueueResult enqueueNew(Visit visit, String key) {
    Request request = visit.request();
    String queue = QueueScreen.required(text(request, "queue"), visit);
    return recorded(
        visit,
        queue,
        visit
            .services()
            .enqueuer()
            .enqueueOnce(
                JobType.of(text(request, "kind"), String.class),
                text(request, "payload"),
                options -> options(options.onQueue(queue), request).idempotencyKey(key)));
  }

  /**
   * Enqueues what is stored: the payload as its codec wrote it, its version, and the headers that
   * the interceptors of the application set. Only what the form shows can be changed.
   */
  private static EnqueueResult enqueueCopy(JobId id, Visit visit, String key) {
    JobDetails source = visit.reads().stored(id).orElseThrow(() -> JobScreen.notFound(id));
    String stored = source.payload();
    if (stored == null) {
      throw Refusal.forbidden("The database role of the dashboard may not read payloads.");
    }
    String written = text(visit.request(), "payload");
    return recorded(
        visit,
        source.summary().queue(),
        visit
            .services()
            .enqueuer()
            .enqueueOnce(
                JobType.of(source.summary().kind(), String.class)
                    .payloadVersion(source.payloadVersion()),
                written.isEmpty() ? stored : written,
                options ->
                    asStored(
                            options(options.onQueue(source.summary().queue()), visit.request()),
                            source,
                            visit.request())
                        .headers(Headers.withoutReserved(source.headers()))
                        .idempotencyKey(key)));
  }

  private static EnqueueResult recorded(Visit visit, String queue, EnqueueResult result) {
    if (result instanceof EnqueueResult.Enqueued) {
      visit.record("enqueue", queue, result.jobId().toString());
    }
    return result;
  }

  /**
   * Restores what a form cannot contain exactly: tags with commas, and spaces around a key or
   * group.
   */
  private static EnqueueOptions asStored(
      EnqueueOptions options, JobDetails source, Request request) {
    EnqueueOptions chosen = options;
    List<String> tags = source.summary().tags();
    if (!tags.isEmpty() && text(request, "tags").equals(tagsOf(source.summary()).strip())) {
      chosen = chosen.tags(tags);
    }
    String group = source.summary().group();
    if (group != null && text(request, "group").equals(group.strip())) {
      chosen = chosen.group(group);
    }
    String key = source.orderingKey();
    return key != null && text(request, "key").equals(key.strip())
        ? chosen.orderingKey(key)
        : chosen;
  }

  /** Returns the tags of a job as a form shows them. */
  static String tagsOf(JobSummary job) {
    return String.join(", ", job.tags());
  }

  private static String text(Request request, String field) {
    return request.field(field).orElse("").strip();
  }

  private static EnqueueOptions options(EnqueueOptions options, Request request) {
    EnqueueOptions chosen = options;
    String priority = text(request, "priority");
    if (!priority.isEmpty()) {
      chosen = chosen.priority(Fields.number(priority, "The priority"));
    }
    String attempts = text(request, "attempts");
    if (!attempts.isEmpty()) {
      chosen = chosen.maxAttempts(Fields.number(attempts, "The number of attempts"));
    }
    String at = text(request, "at");
    if (!at.isEmpty()) {
      chosen = chosen.at(Fields.time(at));
    }
    String key = text(request, "key");
    if (!key.isEmpty()) {
      chosen = chosen.orderingKey(key);
    }
    String group = text(request, "group");
    if (!group.isEmpty()) {
      chosen = chosen.group(group);
    }
    List<String> tags =
        Arrays.stream(text(request, "tags").split(",", -1))
            .map(String::strip)
            .filter(tag -> !tag.isEmpty())
            .toList();
    return tags.isEmpty() ? chosen : chosen.tags(tags);
  }
}
