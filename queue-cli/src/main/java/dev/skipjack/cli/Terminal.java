package dev.skipjack.cli;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The terminal of the process while a command fills its screen: the cursor is hidden, keys arrive
 * without Enter, and the earlier content of the screen is restored at the end, also after Ctrl-C.
 */
final class Terminal implements AutoCloseable {

  private static final File DEVICE = new File("/dev/tty");
  private static final long STTY_SECONDS = 5;
  private static final String ENTER = "\u001b[?1049h\u001b[?25l";
  private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
  private static final String HOME = "\u001b[H";
  private static final String CLEAR_LINE = "\u001b[K";
  private static final String CLEAR_BELOW = "\u001b[J";

  private final PrintWriter out;
  private final @Nullable String settings;
  private final Thread onExit = new Thread(this::restore, "skipjack-terminal");
  private boolean restored;

  /**
   * A size in characters.
   *
   * @param height the number of lines
   */
  record Size(int width, int height) {

    /** The size of a terminal that does not report its own. */
    static final Size STANDARD = new Size(80, 24);
  }

  private Terminal(PrintWriter out) {
    this.out = out;
    this.settings = stty("-g");
  }

  static Terminal open(PrintWriter out) {
    Terminal terminal = new Terminal(out);
    stty("-icanon", "-echo", "min", "0", "time", "0");
    Runtime.getRuntime().addShutdownHook(terminal.onExit);
    out.print(ENTER);
    out.flush();
    return terminal;
  }

  /** Returns the current size, which changes when the user resizes the window. */
  Size size() {
    String size = stty("size");
    String[] parts = size == null ? new String[0] : size.strip().split(" ");
    try {
      int height = parts.length == 2 ? Integer.parseInt(parts[0]) : 0;
      int width = parts.length == 2 ? Integer.parseInt(parts[1]) : 0;
      return height > 0 && width > 0 ? new Size(width, height) : Size.STANDARD;
    } catch (NumberFormatException unknown) {
      return Size.STANDARD;
    }
  }

  void show(List<String> lines) {
    StringBuilder screen = new StringBuilder(HOME);
    for (int i = 0; i < lines.size(); i++) {
      screen.append(i == 0 ? "" : "\r\n").append(lines.get(i)).append(CLEAR_LINE);
    }
    out.print(screen.append(CLEAR_BELOW));
    out.flush();
  }

  /** Returns a key that was pressed, or -1 if there is none. */
  static int key() throws IOException {
    return System.in.available() > 0 ? System.in.read() : -1;
  }

  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException exiting) {
      // The JVM is exiting. Restoring the terminal twice has no effect.
    }
  }

  private synchronized void restore() {
    if (!restored) {
      restored = true;
      out.print(LEAVE);
      out.flush();
      if (settings != null) {
        stty(settings.strip());
      }
    }
  }

  /** Runs stty on the terminal and returns its output; null if it failed. */
  private static @Nullable String stty(String... arguments) {
    String[] command = new String[arguments.length + 1];
    command[0] = "stty";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    try {
      Process stty =
          new ProcessBuilder(command)
              .redirectInput(DEVICE)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String output = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return stty.waitFor(STTY_SECONDS, TimeUnit.SECONDS) && stty.exitValue() == 0 ? output : null;
    } catch (IOException notAvailable) {
      return null;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
