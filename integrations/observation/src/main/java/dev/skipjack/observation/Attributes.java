package dev.skipjack.observation;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.spi.NewJob;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The names and values of attributes, for Micrometer and OpenTelemetry.
 *
 * @see <a href="https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/">Semantic
 *     conventions for messaging</a>
 */
final class Attributes {

  static final String SYSTEM = "messaging.system";
  static final String DESTINATION = "messaging.destination.name";
  static final String OPERATION = "messaging.operation.name";
  static final String OPERATION_TYPE = "messaging.operation.type";
  static final String MESSAGE_ID = "messaging.message.id";
  static final String MESSAGE_COUNT = "messaging.batch.message_count";
  static final String ERROR_TYPE = "error.type";
  static final String KIND = "skipjack.kind";
  static final String ATTEMPT = "skipjack.attempt";
  static final String OUTCOME = "skipjack.outcome";

  static final String SKIPJACK = "skipjack";
  static final String ENQUEUE = "enqueue";
  static final String PROCESS = "process";

  /** The operation type that the conventions use for producers. */
  static final String SEND = "send";

  static final String FAILED = "failed";

  /** The name for several queues or kinds. No queue and no kind can have it. */
  private static final String SEVERAL = "*";

  private Attributes() {}

  static String queue(List<NewJob> jobs) {
    return only(jobs.stream().map(NewJob::queue).distinct().limit(2).toList());
  }

  static String kind(List<NewJob> jobs) {
    return only(jobs.stream().map(NewJob::kind).distinct().limit(2).toList());
  }

  private static String only(List<String> names) {
    return names.size() == 1 ? names.get(0) : SEVERAL;
  }

  /** Returns the id of the job if the call enqueued a single one, or null. */
  static @Nullable String messageId(List<EnqueueResult> results) {
    return results.size() == 1 ? results.get(0).jobId().toString() : null;
  }

  /** Returns the name of an outcome. Null, which a handler must not return, is a failure. */
  static String outcome(@Nullable Outcome outcome) {
    return outcome == null ? FAILED : outcome.accept(NAMES);
  }

  private static final Outcome.Cases<String> NAMES =
      new Outcome.Cases<>() {
        @Override
        public String completed(Outcome.Completed outcome) {
          return "completed";
        }

        @Override
        public String retried(Outcome.Retried outcome) {
          return "retried";
        }

        @Override
        public String snoozed(Outcome.Snoozed outcome) {
          return "snoozed";
        }

        @Override
        public String cancelled(Outcome.Cancelled outcome) {
          return "cancelled";
        }

        @Override
        public String dead(Outcome.Dead outcome) {
          return "dead";
        }

        @Override
        public String async(Outcome.Async outcome) {
          return "async";
        }
      };

  /**
   * Returns the exception with which an attempt failed, or null if the handler returned an outcome.
   *
   * @param failure what the handler or its stage threw, perhaps with the wrapper that stages add
   */
  static @Nullable Throwable error(@Nullable Outcome outcome, @Nullable Throwable failure) {
    if (failure == null) {
      return outcome == null ? new NullPointerException("The handler returned null.") : null;
    }
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
