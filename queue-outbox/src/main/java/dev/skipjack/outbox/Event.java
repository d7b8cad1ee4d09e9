package dev.skipjack.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.api.spi.SafeText;
import dev.skipjack.api.spi.Traceparent;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An event to record: what happened to which aggregate. Immutable: each method that sets a value
 * returns a changed copy.
 */
public final class Event {

  /** The maximum size of a payload: 1,048,576 bytes (1 MiB). */
  public static final int LARGEST_PAYLOAD = 1_048_576;

  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_.:/-]{1,200}");
  private static final Pattern MEDIA_TYPE = Pattern.compile("(?! +$)[ -~]{1,200}");
  private static final String JSON = "application/json";
  private static final int MOST_HEADERS = 50;
  private static final int MOST_HEADER_BYTES = 16_384;

  private final Draft draft;

  private Event(Draft draft) {
    this.draft = draft;
  }

  /** The values of an event. A draft is modified only while a new event is being created. */
  private static final class Draft implements Cloneable {

    private final Aggregate aggregate;
    private final String type;
    private @Nullable Object payload;
    private String contentType = JSON;
    private Map<String, String> headers = Map.of();
    private @Nullable String traceparent;

    private Draft(Aggregate aggregate, String type) {
      this.aggregate = aggregate;
      this.type = type;
    }

    private Draft copy() {
      try {
        return (Draft) clone();
      } catch (CloneNotSupportedException impossible) {
        throw new AssertionError(impossible);
      }
    }
  }

  private Event with(Consumer<Draft> change) {
    Draft changed = draft.copy();
    change.accept(changed);
    return new Event(changed);
  }

  /**
   * Creates an event whose payload is an empty JSON object.
   *
   * @param aggregateType the type of the aggregate, for example {@code order}; like the type of the
   *     event, 1 to 200 characters of {@code a-z A-Z 0-9 _ . : / -}
   * @param aggregateId the id of the aggregate, 1 to 512 bytes in UTF-8. Events with the same
   *     aggregate type and id are published in the order in which they were recorded
   * @param type the type of the event, for example {@code order-placed}
   * @return the event
   * @throws IllegalArgumentException if one of them is not allowed
   */
  public static Event of(String aggregateType, Object aggregateId, String type) {
    Aggregate aggregate = new Aggregate(aggregateType, aggregateId.toString());
    return new Event(new Draft(aggregate, requireName("Event type", type)));
  }

  /**
   * Sets the payload, which the queue's codec converts to JSON when the event is recorded.
   *
   * @param payload an object that the codec can encode
   * @return a copy with this change
   * @throws IllegalArgumentException if it is a byte array, which needs a content type
   */
  public Event payload(Object payload) {
    if (payload instanceof byte[]) {
      throw new IllegalArgumentException("A payload of bytes needs a content type.");
    }
    return withPayload(JSON, Objects.requireNonNull(payload, "payload"));
  }

  /**
   * Sets the payload as bytes, which are published unchanged.
   *
   * @param payload the bytes, which are copied
   * @param contentType the media type of the bytes, for example {@code application/avro}
   * @return a copy with this change
   * @throws IllegalArgumentException if the content type does not have 1 to 200 printable ASCII
   *     characters, or has only spaces
   */
  public Event payload(byte[] payload, String contentType) {
    if (!MEDIA_TYPE.matcher(contentType).matches()) {
      throw new IllegalArgumentException(
          "Content type '%s' is not allowed. Use 1 to 200 printable ASCII characters, not only spaces."
              .formatted(SafeText.of(contentType, 80)));
    }
    return withPayload(contentType, payload.clone());
  }

  private Event withPayload(String contentType, Object payload) {
    return with(
        draft -> {
          draft.payload = payload;
          draft.contentType = contentType;
        });
  }

  /**
   * Adds a header, or replaces the one with the same name.
   *
   * @param name the name
   * @param value the value
   * @return a copy with this change
   * @throws IllegalArgumentException if the name does not have 1 to 200 characters of {@code a-z
   *     A-Z 0-9 _ . : / -}, the value contains control characters or lone surrogates, or the event
   *     would have more than 50 headers or 16,384 bytes of names and values in UTF-8
   */
  public Event header(String name, String value) {
    requireName("Header name", name);
    if (value.codePoints().anyMatch(Event::isForbidden)) {
      throw new IllegalArgumentException(
          "The value of header '%s' is not allowed. It must contain no control characters and no half of a surrogate pair."
              .formatted(name));
    }
    Map<String, String> more = new LinkedHashMap<>(draft.headers);
    more.put(name, value);
    if (more.size() > MOST_HEADERS) {
      throw new IllegalArgumentException(
          "An event may have at most %d headers.".formatted(MOST_HEADERS));
    }
    int bytes =
        more.entrySet().stream()
            .mapToInt(each -> (each.getKey() + each.getValue()).getBytes(UTF_8).length)
            .sum();
    if (bytes > MOST_HEADER_BYTES) {
      throw new IllegalArgumentException(
          "The headers have %d bytes; at most %d are allowed. Move data to the payload."
              .formatted(bytes, MOST_HEADER_BYTES));
    }
    return with(draft -> draft.headers = Collections.unmodifiableMap(more));
  }

  private static boolean isForbidden(int character) {
    return Character.isISOControl(character) || Character.getType(character) == Character.SURROGATE;
  }

  /**
   * Sets the trace to which the event belongs.
   *
   * @param traceparent the value of the W3C header
   * @return a copy with this change
   * @throws IllegalArgumentException if it does not have the W3C form
   */
  public Event traceparent(String traceparent) {
    String checked = Traceparent.require(traceparent);
    return with(draft -> draft.traceparent = checked);
  }

  Aggregate aggregate() {
    return draft.aggregate;
  }

  /** {@return the type of the event} */
  public String type() {
    return draft.type;
  }

  /** Returns bytes, an object to encode as JSON, or null for an empty JSON object. */
  @Nullable Object payload() {
    return draft.payload;
  }

  String contentType() {
    return draft.contentType;
  }

  Map<String, String> headers() {
    return draft.headers;
  }

  @Nullable String traceparent() {
    return draft.traceparent;
  }

  static String requireName(String what, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s '%s' is not allowed. Use 1 to 200 of a-z, A-Z, 0-9, '_', '.', ':', '/', '-'."
              .formatted(what, SafeText.of(name, 80)));
    }
    return name;
  }
}
