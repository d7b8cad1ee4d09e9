package dev.skipjack.outbox.kafka;

import dev.skipjack.outbox.Aggregate;
import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.RecordedEvent;
import java.io.IOException;
import java.time.Duration;
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
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the events of one batch. The first event of each aggregate is sent at once, and each later
 * one after the previous one was acknowledged. Used by one thread.
 *
 * <p>The producer's thread only reports the acknowledgements. It must not send the next events
 * itself, because sending may wait for metadata or memory that only the producer's thread provides.
 */
final class BatchDelivery {

  private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventBatch batch;
  private final Producer<byte[], byte[]> producer;
  private final EventRecords records;
  private final MissingTopics missing;

  /** The time that acknowledgements may need. If less is left, no further event is sent. */
  private final Duration margin;

  private final List<PublishResult> results;
  private final BlockingQueue<Completion> completions = new LinkedBlockingQueue<>();

  /** For each aggregate that may continue, the positions of the events that were not sent. */
  private final Queue<Queue<Integer>> ready;

  private int inFlight;
  private boolean isAnyResponse;
  private @Nullable PublishResult unavailable;
  private @Nullable KafkaException producerFailure;

  /**
   * @param longestWait how long a send may block plus how long the producer tries to deliver a
   *     record
   */
  BatchDelivery(
      EventBatch batch,
      Producer<byte[], byte[]> producer,
      EventRecords records,
      MissingTopics missing,
      Duration longestWait) {
    this.batch = batch;
    this.producer = producer;
    this.records = records;
    this.missing = missing;
    Duration half = batch.timeLeft().dividedBy(2); // the limit if the producer tries for longer
    this.margin = longestWait.compareTo(half) < 0 ? longestWait : half;
    this.results =
        new ArrayList<>(Collections.nCopies(batch.events().size(), PublishResult.notTried()));
    this.ready = new ArrayDeque<>(aggregates(batch.events()));
  }

  /**
   * A send that has ended.
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
   * Sends the events and waits for the acknowledgements, at most until the time of the batch ends.
   * If the thread is interrupted, returns what is known.
   *
   * @throws IOException if the brokers were unavailable and have neither accepted nor rejected an
   *     event
   */
  List<PublishResult> run() throws IOException {
    try {
      boolean hasTime = true;
      while (hasTime && (!ready.isEmpty() || inFlight > 0)) {
        // Completions are noted first, because they show whether the brokers are available.
        Completion completion = ready.isEmpty() ? awaitCompletion() : completions.poll();
        if (completion != null) {
          note(completion);
        } else if (ready.isEmpty()) {
          hasTime = !batch.timeLeft().isZero();
        } else {
          sendNext(ready.remove());
        }
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
    for (Completion last = completions.poll(); last != null; last = completions.poll()) {
      note(last);
    }
    if (unavailable != null && !isAnyResponse) {
      throw new IOException(unavailable.reason());
    }
    return results;
  }

  /** Returns a send that has ended, or null if none ends before the next check. */
  private @Nullable Completion awaitCompletion() throws InterruptedException {
    long nanos = Math.min(batch.timeLeft().toNanos(), CHECK_NANOS); // the relay may be closed
    return completions.poll(nanos, TimeUnit.NANOSECONDS);
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
    inFlight--;
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
   * Sends the first of the given events. Sends nothing if the acknowledgement could arrive too
   * late, or if the brokers were unavailable, because each send may wait for them.
   */
  private void sendNext(Queue<Integer> positions) throws InterruptedException {
    boolean maySend =
        unavailable == null && batch.isLeased() && batch.timeLeft().compareTo(margin) >= 0;
    Integer position = maySend ? positions.poll() : null;
    if (position == null) {
      return;
    }
    ProducerRecord<byte[], byte[]> record;
    try {
      record = records.of(batch.events().get(position));
    } catch (Throwable failure) { // thrown by the application's function
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
      Thread.interrupted(); // the constructor of the exception has set the flag
      throw stopped(stopped);
    } catch (Throwable failure) {
      // An exception of a subclass concerns the record. For an error state, the producer throws a
      // plain KafkaException.
      if (failure.getClass() == KafkaException.class) {
        producerFailure = (KafkaException) failure;
      }
      Exception reported =
          failure instanceof Exception exception ? exception : new IllegalStateException(failure);
      completions.add(new Completion(position, later, record, reported));
    }
  }

  private static InterruptedException stopped(InterruptException cause) {
    InterruptedException stopped = new InterruptedException("Stopped while sending to Kafka");
    stopped.initCause(cause);
    return stopped;
  }
}
