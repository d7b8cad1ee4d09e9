package dev.skipjack.outbox;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** A destination that keeps the events that it accepted. */
final class RecordingPublisher implements Publisher {

  private final Function<RecordedEvent, PublishResult> answer;
  final List<RecordedEvent> sent = Collections.synchronizedList(new ArrayList<>());

  RecordingPublisher() {
    this(event -> PublishResult.sent());
  }

  /**
   * @param answer the result of each event that is tried
   */
  RecordingPublisher(Function<RecordedEvent, PublishResult> answer) {
    this.answer = answer;
  }

  @Override
  public List<PublishResult> publish(EventBatch batch) throws Exception {
    return Publisher.each(this::send).publish(batch);
  }

  private PublishResult send(RecordedEvent event) {
    PublishResult result = answer.apply(event);
    if (result.kind() == PublishResult.Kind.SENT) {
      sent.add(event);
    }
    return result;
  }

  /** Returns the types of the accepted events in their order. */
  List<String> types() {
    synchronized (sent) {
      return sent.stream().map(RecordedEvent::type).toList();
    }
  }
}
