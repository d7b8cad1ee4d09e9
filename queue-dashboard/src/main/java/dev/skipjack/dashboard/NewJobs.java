package dev.skipjack.dashboard;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import java.util.Arrays;
import java.util.List;

/** Enqueues a job that a form describes. */
final class NewJobs {

  private NewJobs() {}

  /** A user who may not see payloads may not write them either. */
  static void require(Visit visit) {
    if (!visit.access().payloads()) {
      throw Refusal.forbidden("To enqueue a job, you need the right to see payloads.");
    }
  }

  /**
   * Enqueues the job, once for each form that was shown: a form that is sent again leads to the job
   * that it enqueued before.
   */
  static Link enqueue(Visit visit) {
    require(visit);
    Request request = visit.request();
    String queue = QueueScreen.required(text(request, "queue"), visit);
    String key = Session.target(request);
    EnqueueResult result =
        visit
            .services()
            .enqueuer()
            .enqueueOnce(
                JobType.of(text(request, "kind"), String.class),
                text(request, "payload"),
                options -> options(options.onQueue(queue), request).idempotencyKey("form-" + key));
    return visit.link("/jobs/" + result.jobId()).with("note", Note.ENQUEUED.code());
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
    List<String> tags =
        Arrays.stream(text(request, "tags").split(",", -1))
            .map(String::strip)
            .filter(tag -> !tag.isEmpty())
            .toList();
    return tags.isEmpty() ? chosen : chosen.tags(tags);
  }
}
