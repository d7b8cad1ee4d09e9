package dev.skipjack.outbox.kafka;

import dev.skipjack.outbox.PublishResult;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The result of sending one event.
 *
 * @param cause what the result shows about the brokers
 */
record SendResult(PublishResult result, Cause cause) {

  enum Cause {
    /** The brokers have accepted or rejected the record, or would always reject it. */
    RESPONSE,
    /** The brokers do not know the topic. */
    MISSING_TOPIC,
    /** The brokers did not respond, so the result may not be the event's fault. */
    UNAVAILABLE
  }

  /** Interprets what the producer passed to a callback, or threw. */
  static SendResult of(ProducerRecord<byte[], byte[]> record, @Nullable Exception failure) {
    if (failure == null) {
      return new SendResult(PublishResult.sent(), Cause.RESPONSE);
    }
    String topic = record.topic();
    if (isMissingTopic(failure)) {
      return missing(topic);
    }
    if (failure instanceof RecordTooLargeException
        || failure instanceof RecordBatchTooLargeException) {
      return new SendResult(
          PublishResult.dead(
              "The payload of %,d bytes is too large for topic '%s': %s"
                      .formatted(record.value().length, topic, failure.getMessage())
                  + " Raise max.message.bytes of the topic and max.request.size of the producer"
                  + " before you redrive the event."),
          Cause.RESPONSE);
    }
    if (failure instanceof InvalidTopicException) {
      return response(
          "'%s' is not a valid name of a topic, which has up to 249 of a-z A-Z 0-9 . _ -"
                  .formatted(topic)
              + " Map the event to another topic with topic(...) on the publisher's builder.");
    }
    if (failure instanceof TopicAuthorizationException) {
      return response(
          "The producer may not write to topic '%s'. Grant it the operation Write."
              .formatted(topic));
    }
    String reason = "Sending to topic '%s' failed: %s".formatted(topic, failure);
    // An ApiException is a broker's rejection of the record, unless it can be retried or concerns
    // the producer's rights. All other failures, such as that of a closed producer, concern all
    // events.
    boolean isResponse =
        failure instanceof ApiException
            && !(failure instanceof RetriableException)
            && !(failure instanceof AuthenticationException)
            && !(failure instanceof ClusterAuthorizationException);
    return isResponse ? response(reason) : unavailable(reason);
  }

  /** The result of an event whose topic does not exist. */
  static SendResult missing(String topic) {
    return new SendResult(
        PublishResult.retry(
            "Topic '%s' does not exist. Create it, or map the event to another topic with topic(...) on the publisher's builder."
                .formatted(topic)),
        Cause.MISSING_TOPIC);
  }

  private static SendResult response(String reason) {
    return new SendResult(PublishResult.retry(reason), Cause.RESPONSE);
  }

  private static SendResult unavailable(String reason) {
    return new SendResult(PublishResult.retry(reason), Cause.UNAVAILABLE);
  }

  /** A producer that has waited for the topic's metadata reports a timeout with this cause. */
  private static boolean isMissingTopic(Exception failure) {
    return failure instanceof UnknownTopicOrPartitionException
        || failure.getCause() instanceof UnknownTopicOrPartitionException;
  }
}
