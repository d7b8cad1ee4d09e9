package dev.skipjack.importing;

import dev.skipjack.api.PayloadCodec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads payloads that Java serialization wrote, and converts them to JSON. Only the given classes
 * and classes of {@code java.lang}, {@code java.math}, {@code java.time} and {@code java.util} are
 * instantiated.
 */
public final class SerializedPayload {

  private static final String OF_JAVA = "java.lang.*;java.math.*;java.time.*;java.util.*";
  private static final String BOUNDS = "maxdepth=12;maxrefs=100000;maxbytes=1048576";

  /**
   * The stream's magic number and version, and the codes of a new object and of its class
   * description.
   */
  private static final byte[] START = {(byte) 0xac, (byte) 0xed, 0, 5, 0x73, 0x72};

  private SerializedPayload() {}

  /**
   * {@return a reader of objects of a class} The reader fails if the data is not such an object, is
   * larger than 1 MiB, or contains an object of a class that is not allowed, or if the codec cannot
   * encode the object.
   *
   * @param codec writes the JSON; usually that of the queue, {@code queue.codec()}
   * @param type the class of the stored objects
   * @param parts the application's classes that these objects contain
   */
  public static PayloadReader of(PayloadCodec codec, Class<?> type, Class<?>... parts) {
    String ours =
        Stream.concat(Stream.of(type), Arrays.stream(parts))
            .map(Class::getName)
            .collect(Collectors.joining(";"));
    ObjectInputFilter filter =
        ObjectInputFilter.Config.createFilter("%s;%s;%s;!*".formatted(BOUNDS, ours, OF_JAVA));
    return data -> codec.encode(type.cast(read(data, filter)));
  }

  private static Object read(byte[] data, ObjectInputFilter filter)
      throws IOException, ClassNotFoundException {
    try (ObjectInputStream stream = new ObjectInputStream(new ByteArrayInputStream(data))) {
      stream.setObjectInputFilter(filter);
      return stream.readObject();
    } catch (InvalidClassException refused) {
      throw new InvalidClassException(
          className(data), "the filter refused a class: " + refused.getMessage());
    }
  }

  /** Returns whether Java serialization wrote the data. */
  static boolean isSerialized(byte[] data) {
    return data.length >= 4 && Arrays.equals(data, 0, 4, START, 0, 4);
  }

  /**
   * Returns the name of the class of a serialized object without creating it, or an empty string if
   * the data is something else.
   */
  static String className(byte[] data) {
    int start = START.length + 2;
    if (data.length < start || !Arrays.equals(data, 0, START.length, START, 0, START.length)) {
      return "";
    }
    int length = (data[start - 2] & 0xff) << 8 | (data[start - 1] & 0xff);
    return new String(data, start, Math.min(length, data.length - start), StandardCharsets.UTF_8);
  }
}
