package dev.skipjack.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An event as it is published. Immutable. */
public final class RecordedEvent {

  private final long position;
  private final UUID id;
  private final Aggregate aggregate;
  private final String type;
  private final byte[] payload;
  private final String contentType;
  private final Map<String, String> headers;
  private final @Nullable String traceparent;
  private final Instant recordedAt;
  private final int failures;

  RecordedEvent(
      long position,
      UUID id,
      Aggregate aggregate,
      String type,
      byte[] payload,
      String contentType,
      Map<String, String> headers,
      @Nullable String traceparent,
      Instant recordedAt,
      int failures) {
    this.position = position;
    this.id = id;
    this.aggregate = aggregate;
    this.type = type;
    this.payload = payload;
    this.contentType = contentType;
    this.headers = headers;
    this.traceparent = traceparent;
    this.recordedAt = recordedAt;
    this.failures = failures;
  }

  /** Returns the number that orders the events of an aggregate. It never changes. */
  long position() {
    return position;
  }

  /**
   * Returns the id of the event, a UUID of version 7. Publish it, because consumers recognize
   * duplicates by it.
   */
  public UUID id() {
    return id;
  }

  /** Returns the aggregate that the event is about. */
  public Aggregate aggregate() {
    return aggregate;
  }

  /** Returns the type of the event. */
  public String type() {
    return type;
  }

  /** Returns a copy of the payload; JSON is encoded in UTF-8. */
  public byte[] payload() {
    return payload.clone();
  }

  int payloadSize() {
    return payload.length;
  }

  /** Returns the payload decoded as UTF-8, for JSON and other text. */
  public String text() {
    return new String(payload, UTF_8);
  }

  /** Returns the media type of the payload. */
  public String contentType() {
    return contentType;
  }

  /** Returns the headers by name. */
  public Map<String, String> headers() {
    return headers;
  }

  /** Returns the W3C traceparent of the transaction that recorded the event, or null. */
  public @Nullable String traceparent() {
    return traceparent;
  }

  /** Returns when the event was recorded, by the database's clock. */
  public Instant recordedAt() {
    return recordedAt;
  }

  /** Returns how many attempts to publish the event have failed. */
  public int failures() {
    return failures;
  }

  @Override
  public String toString() {
    return "%s %s/%s %s".formatted(type, aggregate.type(), aggregate.id(), id);
  }
}
