package dev.skipjack.observation;

import dev.skipjack.api.spi.Headers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Carries entries of the logging context (SLF4J's MDC). The entry {@code requestId} is carried in
 * the header {@code mdc-requestid}. Control characters in a value are replaced with spaces, and a
 * value is cut after {@value #LONGEST} characters, so that an entry rarely makes an enqueue fail.
 *
 * <p>An entry that a job does not carry is left as it is in the handler's thread.
 */
public final class MdcEntries implements ContextCarrier {

  private static final int LONGEST = 256;
  private static final String PREFIX = "mdc-";

  /** The headers by the names of their entries. */
  private final Map<String, String> headers;

  private MdcEntries(Map<String, String> headers) {
    this.headers = headers;
  }

  /**
   * {@return a carrier of the entries with the given names}
   *
   * @param names the names of the entries
   * @throws IllegalArgumentException if a name, in lower case, is not allowed in the name of a
   *     header, or two names differ only in case
   */
  public static MdcEntries of(String... names) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String name : names) {
      String header = PREFIX + name.toLowerCase(Locale.ROOT);
      Headers.with(Map.of(), header, "");
      if (headers.containsValue(header)) {
        throw new IllegalArgumentException(
            "MDC entry '%s' is carried in the header '%s', as is another entry. Name only one of them."
                .formatted(name, header));
      }
      headers.put(name, header);
    }
    return new MdcEntries(headers);
  }

  @Override
  public Map<String, String> capture() {
    Map<String, String> captured = new LinkedHashMap<>();
    headers.forEach(
        (name, header) -> {
          String value = MDC.get(name);
          if (value != null) {
            captured.put(header, HeaderText.of(value, LONGEST));
          }
        });
    return captured;
  }

  @Override
  public Restored restore(Map<String, String> carried) {
    Deque<Runnable> undo = new ArrayDeque<>();
    headers.forEach(
        (name, header) -> {
          String value = carried.get(header);
          if (value != null) {
            String earlier = MDC.get(name);
            undo.push(() -> set(name, earlier));
            MDC.put(name, value);
          }
        });
    return () -> undo.forEach(Runnable::run);
  }

  private static void set(String name, @Nullable String value) {
    if (value == null) {
      MDC.remove(name);
    } else {
      MDC.put(name, value);
    }
  }
}
