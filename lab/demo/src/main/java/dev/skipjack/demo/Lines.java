package dev.skipjack.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads lines of UTF-8 text and never holds more than one in memory.
 *
 * <p>Java's own readers decode ahead of the line that they return, so a malformed byte could not be
 * attributed to its line.
 *
 * <p>A byte order mark at the start is skipped.
 */
final class Lines implements AutoCloseable {

  /**
   * The maximum length, because a file without line breaks must not fill the heap. Four times the
   * largest payload that a queue accepts, to allow for escapes.
   */
  private static final int LONGEST = 1024 * 1024;

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final InputStream in;
  private final byte[] buffer = new byte[64 * 1024];
  private int position;
  private int end;
  private long number;

  Lines(InputStream in) {
    this.in = in;
  }

  /** Returns the number, from 1, of the line that was returned last. */
  long number() {
    return number;
  }

  /**
   * Returns the next line without its line break, or empty after the last one.
   *
   * @throws CharacterCodingException if the line is not UTF-8
   * @throws IOException if the line cannot be read or is too long
   */
  Optional<String> next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(8 * 1024);
    boolean any = false;
    while (position < end || fill()) {
      any = true;
      int from = position;
      while (position < end && buffer[position] != '\n') {
        position++;
      }
      line.write(buffer, from, position - from);
      if (line.size() > LONGEST) {
        number++;
        throw new IOException("line of more than %,d bytes".formatted(LONGEST));
      }
      if (position < end) {
        position++;
        break;
      }
    }
    if (!any) {
      return Optional.empty();
    }
    number++;
    String text =
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray())).toString();
    return Optional.of(number == 1 && text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text);
  }

  private boolean fill() throws IOException {
    position = 0;
    end = Math.max(in.read(buffer), 0);
    return end > 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
