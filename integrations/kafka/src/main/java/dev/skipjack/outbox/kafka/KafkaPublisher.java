package dev.skipjack.outbox.kafka;

import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.RecordedEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends each event as a record whose value is the payload and whose key is the id of the aggregate
 * in UTF-8. The topic is the type of the aggregate, or the one that {@link Builder#topic} returns.
 *
 * <p>The next event of an aggregate is sent after the brokers have acknowledged the previous one;
 * different aggregates are sent in parallel. The order therefore also holds if the brokers reject
 * an event. An idempotent producer alone does not ensure that. It keeps the order of records that
 * it sends again, but still sends the records after one that failed permanently.
 *
 * <p>The result of an event:
 *
 * <table>
 *   <caption>Results</caption>
 *   <tr><th>cause<th>result
 *   <tr><td>acknowledged<td>sent
 *   <tr><td>too large for the producer or the topic<td>dead
 *   <tr><td>the topic does not exist or has an invalid name, the producer may not write to it, or the brokers reject the record for another reason<td>another attempt
 *   <tr><td>no acknowledgement within {@code delivery.timeout.ms}<td>the brokers are unavailable.
 *       No attempt counts, unless they have accepted or rejected other events of the batch
 * </table>
 *
 * <p>Each record has the headers {@link #EVENT_ID}, {@link #EVENT_TYPE}, {@link #AGGREGATE_TYPE},
 * {@link #CONTENT_TYPE}, and {@link #TRACEPARENT} if the event has one. It also has the event's own
 * headers, except those with a name of this list. Values are in UTF-8. The timestamp of a record is
 * the time at which it was sent. With the time of the event, the brokers could remove an event that
 * was blocked for longer than the retention of the topic.
 *
 * <p>Safe for any number of threads.
 */
public final class KafkaPublisher implements Publisher, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KafkaPublisher.class);

  /** The header with the event's id, by which consumers recognize duplicates. */
  public static final String EVENT_ID = "skipjack-event-id";

  /** The header with the event's type. */
  public static final String EVENT_TYPE = "skipjack-event-type";

  /** The header with the type of the aggregate. */
  public static final String AGGREGATE_TYPE = "skipjack-aggregate-type";

  /** The header with the media type of the payload. */
  public static final String CONTENT_TYPE = "content-type";

  /** The header with the W3C traceparent with which the event was recorded. */
  public static final String TRACEPARENT = "traceparent";

  /** The maximum time for which {@link #close} waits for records that were sent. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final Supplier<Producer<byte[], byte[]>> producers;
  private final boolean ownsProducer;
  private final Duration deliveryTimeout;
  private final Duration longestBlock;
  private final EventRecords records;
  private final MissingTopics missing = new MissingTopics(System::nanoTime);

  /** Guards the fields below. */
  private final Object monitor = new Object();

  private Producer<byte[], byte[]> producer;
  private boolean closed;

  private KafkaPublisher(Builder settings) {
    this.producers = settings.producers;
    this.ownsProducer = settings.ownsProducer;
    this.deliveryTimeout = settings.deliveryTimeout;
    this.longestBlock = settings.longestBlock;
    this.records = new EventRecords(settings.topic);
    this.producer = producers.get();
  }

  /**
   * {@return a builder of a publisher with its own producer, which it replaces if the producer
   * reaches an error state that it cannot leave}
   *
   * <p>{@code enable.idempotence=true}, {@code acks=all} and the serializers are set, and settings
   * that break the order or the durability are refused. By default, {@code max.block.ms} is 10 s,
   * and {@code linger.ms} is 0, because the next event of an aggregate waits for each record. If
   * {@code delivery.timeout.ms}, {@code request.timeout.ms} and {@code linger.ms} are not given,
   * the first two are 30 s and 15 s. Keep {@code delivery.timeout.ms} below the relay's {@code
   * publishTimeout}. Otherwise another relay may publish the same events while the brokers are
   * slow, and the relay logs a warning when it starts.
   *
   * @param properties the producer's properties, at least {@code bootstrap.servers}
   * @throws IllegalArgumentException if a property breaks the order or the durability
   */
  public static Builder to(Map<String, ?> properties) {
    Map<String, Object> complete = ProducerProperties.complete(properties);
    Builder builder = new Builder(() -> new KafkaProducer<>(complete), true);
    builder.deliveryTimeout = ProducerProperties.deliveryTimeout(complete);
    builder.longestBlock = ProducerProperties.longestBlock(complete);
    return builder;
  }

  /**
   * {@return a builder of a publisher with the producer of the application, which {@link #close}
   * leaves open} The producer must have {@code enable.idempotence=true}, {@code acks=all}, no
   * {@code transactional.id}, and a partitioner that maps the same key to the same partition. The
   * publisher cannot check this. If the producer reaches an error state that it cannot leave, close
   * the relay and build another publisher and relay; until then, the brokers count as unavailable.
   *
   * @param producer the producer
   */
  public static Builder using(Producer<byte[], byte[]> producer) {
    Objects.requireNonNull(producer, "producer");
    return new Builder(() -> producer, false);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IOException if the brokers were unavailable and have neither accepted nor rejected an
   *     event
   * @throws IllegalStateException if the publisher was closed
   */
  @Override
  public List<PublishResult> publish(EventBatch batch) throws IOException {
    Producer<byte[], byte[]> current = open();
    BatchDelivery delivery =
        new BatchDelivery(batch, current, records, missing, longestBlock.plus(deliveryTimeout));
    try {
      return delivery.run();
    } finally {
      KafkaException broken = delivery.producerFailure();
      if (broken != null && ownsProducer) {
        replace(current, broken);
      }
    }
  }

  /** Returns {@code delivery.timeout.ms}; zero for a producer of the application. */
  @Override
  public Duration longestWait() {
    return ownsProducer ? deliveryTimeout : Duration.ZERO;
  }

  private Producer<byte[], byte[]> open() {
    synchronized (monitor) {
      if (closed) {
        throw new IllegalStateException("The Kafka publisher was closed. Close the relay first.");
      }
      return producer;
    }
  }

  /** Replaces a producer, unless another thread has done so. */
  private void replace(Producer<byte[], byte[]> broken, KafkaException failure) {
    synchronized (monitor) {
      if (closed || producer != broken) {
        return;
      }
      // Names only the classes, because a message may quote a record.
      LOG.warn(
          "Kafka producer replaced because of an error that it cannot leave error={} cause={}",
          failure.getClass().getName(),
          failure.getCause() == null ? "none" : failure.getCause().getClass().getName());
      producer = producers.get();
    }
    broken.close(Duration.ZERO);
  }

  /**
   * Closes the producer if this publisher has created it. Waits up to 5 s for records that were
   * sent. Close the relay first.
   */
  @Override
  public void close() {
    Producer<byte[], byte[]> last;
    synchronized (monitor) {
      closed = true;
      last = producer;
    }
    if (ownsProducer) {
      last.close(CLOSE_TIMEOUT);
    }
  }

  /** Builds a {@link KafkaPublisher}. */
  public static final class Builder {

    private final Supplier<Producer<byte[], byte[]>> producers;
    private final boolean ownsProducer;
    private Duration deliveryTimeout = ProducerProperties.DEFAULT_DELIVERY_TIMEOUT;
    private Duration longestBlock = ProducerProperties.DEFAULT_LONGEST_BLOCK;
    private Function<RecordedEvent, String> topic = event -> event.aggregate().type();

    /**
     * @param producers returns the producer, and a new one to replace it if the publisher owns it
     */
    Builder(Supplier<Producer<byte[], byte[]>> producers, boolean ownsProducer) {
      this.producers = producers;
      this.ownsProducer = ownsProducer;
    }

    /**
     * Sets the topic of an event; by default the type of its aggregate. Kafka has no order between
     * topics, so the events of an aggregate should have the same one. If the function fails, the
     * event gets another attempt.
     *
     * @param topic returns the topic of an event
     * @return this builder
     */
    public Builder topic(Function<RecordedEvent, String> topic) {
      this.topic = Objects.requireNonNull(topic, "topic");
      return this;
    }

    /**
     * Builds the publisher. Does not wait for the brokers.
     *
     * @return the publisher
     * @throws KafkaException if the producer cannot be created
     */
    public KafkaPublisher build() {
      return new KafkaPublisher(this);
    }
  }
}
