package dev.skipjack.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class BatchPublisherTest {

  private static final ErrorTexts TEXTS = new ErrorTexts(UnaryOperator.identity());

  private static final SendingTime UNLIMITED =
      new SendingTime() {
        @Override
        public boolean isOpen() {
          return true;
        }

        @Override
        public Duration left() {
          return Duration.ofDays(1);
        }
      };

  private final Deque<PublishResult> answers = new ArrayDeque<>();
  private final BatchPublisher publisher =
      new BatchPublisher(
          Publisher.each(
              event -> {
                if (answers.isEmpty()) {
                  throw new IOException("The destination is unavailable.");
                }
                return answers.pop();
              }),
          new Suspects(Duration.ofDays(1)),
          TEXTS);

  @Test
  void eventsThatWereNotTriedDoNotCountAsAResponse() throws Exception {
    RecordedEvent event = event();
    assertThat(publisher.publish(List.of(event), false, UNLIMITED, new BatchProgress())).isEmpty();
    answers.add(PublishResult.notTried());
    publisher.publish(List.of(event), false, UNLIMITED, new BatchProgress());
    assertThat(publisher.publish(List.of(event), false, UNLIMITED, new BatchProgress()))
        .as("still an outage")
        .isEmpty();

    answers.add(PublishResult.sent());
    publisher.publish(List.of(event()), false, UNLIMITED, new BatchProgress());
    assertThat(publisher.publish(List.of(event), false, UNLIMITED, new BatchProgress()))
        .as("the destination has responded to another event")
        .hasValueSatisfying(
            results ->
                assertThat(results)
                    .singleElement()
                    .extracting(PublishResult::kind)
                    .isEqualTo(PublishResult.Kind.RETRY));
  }

  @Test
  void postponedEventsAreRecordedThoughTheDestinationDidNotRespond() throws Exception {
    PublishResult postponed = PublishResult.postponed(Duration.ofMinutes(1));
    BatchPublisher failing =
        new BatchPublisher(
            Publisher.each(
                event -> {
                  if (event.aggregate().id().equals("1")) {
                    return postponed;
                  }
                  throw new IOException("The destination is unavailable.");
                }),
            new Suspects(Duration.ofDays(1)),
            TEXTS);
    RecordedEvent suspect = event("2");

    assertThat(failing.publish(List.of(event("1"), suspect), false, UNLIMITED, new BatchProgress()))
        .hasValue(List.of(postponed, PublishResult.notTried()));
    assertThat(failing.publish(List.of(suspect), false, UNLIMITED, new BatchProgress()))
        .as("still an outage")
        .isEmpty();
  }

  private static RecordedEvent event() {
    return event("1");
  }

  private static RecordedEvent event(String aggregateId) {
    return new RecordedEvent(
        new RecordedEvent.Draft(
            UUID.randomUUID(), new Aggregate("order", aggregateId), "order-placed"));
  }
}
