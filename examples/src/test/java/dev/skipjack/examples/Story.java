package dev.skipjack.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** Captures the output of an example. */
public final class Story {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** The stream that the example prints to. */
  public final PrintStream out = new PrintStream(bytes, true, UTF_8);

  /** Returns the lines printed so far. */
  public List<String> lines() {
    return bytes.toString(UTF_8).lines().toList();
  }
}
