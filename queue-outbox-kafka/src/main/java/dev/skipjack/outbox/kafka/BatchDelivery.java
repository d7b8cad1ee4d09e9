package dev.skipjack.outbox.kafka;

import dev.skipjack.outbox.Aggregate;
import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.RecordedEvent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the events of one batch: the first one of each aggregate, and each of the others when the
 * previous one of its aggregate was acknowledged. Used by one thread.
 *
 * <p>The producer's thread only reports the acknowledgements. It must not send the next events
 * itself, because sending may wait for metadata or memory that only this thread provides.
 */
final class BatchDelivery {

  private final EventBatch batch;
  private final Producer<byte[], byte[]> producer;
  private final EventRecords records;
  private final MissingTopics missing;
  private final List<PublishResult> results;
  private final BlockingQueue<Completion> completions = new LinkedBlockingQueue<>();

  /** For each aggregate that may continue, the positions of the events that were not sent. */
  private final Queue<Queue<Integer>> ready;

  private int inFlight;
  private boolean isAnyResponse;
  private @Nullable PublishResult unavailable;
  private @Nullable KafkaException producerFailure;

  BatchDelivery(
      EventBatch batch,
      Producer<byte[], byte[]> producer,
      EventRecords records,
      MissingTopics missing) {
    this.batch = batch;
    this.producer = producer;
    this.records = records;
    this.missing = missing;
    this.results =
        new ArrayList<>(Collections.nCopies(batch.events().size(), PublishResult.notTried()));
    this.ready = new ArrayDeque<>(aggregates(batch.events()));
  }

  /**
   * The end of a send.
   *
   * @param position the position of the event in the batch
   * @param later the positions of the later events of its aggregate
   */
  private record Completion(
      int position,
      Queue<Integer> later,
      ProducerRecord<byte[], byte[]> record,
      @Nullable Exception failure) {}

  /**
   * Sends the events and waits for the acknowledgements, for each at most as long as the producer
   * tries to deliver a record.
   *
   * @throws IOException if the brokers have neither accepted nor rejected an event
   * @throws InterruptedException if the thread was interrupted
   */
  List<PublishResult> run() throws IOException, InterruptedException {
    while (!ready.isEmpty() || inFlight > 0) {
      // What is known about the brokers decides whether the next event is sent.
      Completion completion = ready.isEmpty() ? completions.take() : completions.poll();
      if (completion == null) {
        sendNext(ready.remove());
      } else {
        inFlight--;
        note(completion);
      }
    }
    if (unavailable != null && !isAnyResponse) {
      throw new IOException(unavailable.reason());
    }
    return results;
  }

  /** Returns the error of a producer that can send nothing more; null if there was none. */
  @Nullable KafkaException producerFailure() {
    return producerFailure;
  }

  private static Collection<Queue<Integer>> aggregates(List<RecordedEvent> events) {
    Map<Aggregate, Queue<Integer>> positions = new LinkedHashMap<>();
    for (int i = 0; i < events.size(); i++) {
      positions.computeIfAbsent(events.get(i).aggregate(), key -> new ArrayDeque<>()).add(i);
    }
    return positions.values();
  }

  private void note(Completion completion) {
    SendResult sent = SendResult.of(completion.record(), completion.failure());
    results.set(completion.position(), sent.result());
    switch (sent.cause()) {
      case RESPONSE -> isAnyResponse = true;
      case MISSING_TOPIC -> {
        isAnyResponse = true;
        missing.note(completion.record().topic());
      }
      case UNAVAILABLE -> unavailable = sent.result();
    }
    if (sent.result().kind() == PublishResult.Kind.SENT) {
      ready.add(completion.later());
    }
  }

  /**
   * Sends the first of the given events. Once the brokers were unavailable, sends nothing, because
   * each send may wait for them.
   */
  private void sendNext(Queue<Integer> positions) throws InterruptedException {
    Integer position = unavailable == null && batch.isLeased() ? positions.poll() : null;
    if (position == null) {
      return;
    }
    ProducerRecord<byte[], byte[]> record;
    try {
      record = records.of(batch.events().get(position));
    } catch (RuntimeException failure) {
      results.set(position, PublishResult.retry("The event was not sent: " + failure));
      return;
    }
    if (missing.contains(record.topic())) {
      results.set(position, SendResult.missing(record.topic()).result());
      return;
    }
    send(position, positions, record);
  }

  private void send(int position, Queue<Integer> later, ProducerRecord<byte[], byte[]> record)
      throws InterruptedException {
    inFlight++;
    try {
      Future<?> unused = // the callback reports the end
          producer.send(
              record,
              (metadata, failure) ->
                  completions.add(new Completion(position, later, record, failure)));
    } catch (InterruptException stopped) {
      Thread.interrupted(); // which the exception has set
      throw stopped(stopped);
    } catch (RuntimeException failure) {
      // Children of KafkaException concern the record; the error state of the producer has none.
      if (failure.getClass() == KafkaException.class) {
        producerFailure = (KafkaException) failure;
      }
      completions.add(new Completion(position, later, record, failure));
    }
  }

  private static InterruptedException stopped(InterruptException cause) {
    InterruptedException stopped = new InterruptedException("Stopped while sending to Kafka");
    stopped.initCause(cause);
    return stopped;
  }
}
