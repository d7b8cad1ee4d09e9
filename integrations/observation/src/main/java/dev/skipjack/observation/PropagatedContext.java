package dev.skipjack.observation;

import dev.skipjack.api.spi.Headers;
import io.micrometer.context.ThreadLocalAccessor;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries a value that Micrometer's context-propagation can read and set in a thread, for example
 * the tenant of a request.
 *
 * @param <V> the type of the value
 */
public final class PropagatedContext<V> implements ContextCarrier {

  private final String header;
  private final ThreadLocalAccessor<V> accessor;
  private final Function<V, String> toText;
  private final Function<String, V> fromText;

  private PropagatedContext(
      String header,
      ThreadLocalAccessor<V> accessor,
      Function<V, String> toText,
      Function<String, V> fromText) {
    Headers.with(Map.of(), header, "");
    this.header = header;
    this.accessor = accessor;
    this.toText = toText;
    this.fromText = fromText;
  }

  /**
   * {@return a carrier of a text}
   *
   * @param header the name of the header that carries the text
   * @param accessor reads and sets the value of a thread
   * @throws IllegalArgumentException if the name of the header is not allowed
   */
  public static PropagatedContext<String> of(String header, ThreadLocalAccessor<String> accessor) {
    return of(header, accessor, text -> text, text -> text);
  }

  /**
   * {@return a carrier of a value}
   *
   * @param <V> the type of the value
   * @param header the name of the header that carries the value
   * @param accessor reads and sets the value of a thread
   * @param toText converts the value to the text that is stored
   * @param fromText converts the text to the value; an exception makes the attempt fail
   * @throws IllegalArgumentException if the name of the header is not allowed
   */
  public static <V> PropagatedContext<V> of(
      String header,
      ThreadLocalAccessor<V> accessor,
      Function<V, String> toText,
      Function<String, V> fromText) {
    return new PropagatedContext<>(header, accessor, toText, fromText);
  }

  @Override
  public Map<String, String> capture() {
    V value = accessor.getValue();
    return value == null ? Map.of() : Map.of(header, toText.apply(value));
  }

  @Override
  public Restored restore(Map<String, String> headers) {
    String text = headers.get(header);
    if (text == null) {
      return () -> {};
    }
    V earlier = accessor.getValue();
    accessor.setValue(fromText.apply(text));
    return () -> set(earlier);
  }

  private void set(@Nullable V earlier) {
    if (earlier == null) {
      accessor.restore();
    } else {
      accessor.restore(earlier);
    }
  }
}
