package dev.skipjack.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A main class of this JVM's class path in a JVM of its own, which the test may kill, freeze and
 * terminate.
 *
 * <pre>{@code
 * try (ForkedJvm worker = ForkedJvm.of(MyWorker.class).arguments(jdbcUrl).start()) {
 *   worker.awaitLine("begun", Duration.ofSeconds(20));
 *   worker.kill();
 * }
 * }</pre>
 *
 * <p>No child outlives the test: it is killed by {@link #close()} and when this JVM ends, and when
 * this JVM is killed the child halts as soon as it finds its standard input closed. So the main
 * class must leave that alone.
 *
 * <p>Safe for any number of threads.
 */
public final class ForkedJvm implements AutoCloseable {

  private static final Duration GOODBYE = Duration.ofSeconds(10);
  private static final int SHOWN_LINES = 40;

  private final Process process;
  private final Path arguments;
  private final Thread killAtExit;
  private final List<String> lines = new ArrayList<>();
  private boolean ended;

  private ForkedJvm(Process process, Path arguments) {
    this.process = process;
    this.arguments = arguments;
    this.killAtExit = new Thread(process.toHandle()::destroyForcibly, "forked-jvm-kill");
    Runtime.getRuntime().addShutdownHook(killAtExit);
    Thread reader = new Thread(this::read, "forked-jvm-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** Begins to describe a child that runs {@code main}, public or not. */
  public static Builder of(Class<?> main) {
    return new Builder(main);
  }

  /** The child's process id. */
  public long pid() {
    return process.pid();
  }

  /** Whether it runs, or is frozen. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** What it has written so far, errors included, in the order in which it came. */
  public List<String> lines() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  /**
   * Waits until it has written a line that contains {@code part}, now or before.
   *
   * @return the first such line
   * @throws AssertionError if the time is over or the child has ended without it
   */
  public String awaitLine(String part, Duration atMost) {
    return awaitLine("a line with '" + part + "'", line -> line.contains(part), atMost);
  }

  private String awaitLine(String what, Predicate<String> wanted, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    synchronized (lines) {
      int seen = 0;
      while (true) {
        for (; seen < lines.size(); seen++) {
          if (wanted.test(lines.get(seen))) {
            return lines.get(seen);
          }
        }
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (ended || left <= 0) {
          throw new AssertionError(
              "The forked JVM %s without %s.%s"
                  .formatted(ended ? "ended" : "ran on for " + atMost, what, shown()));
        }
        await(left);
      }
    }
  }

  private void await(long millis) {
    try {
      lines.wait(millis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted while waiting for a forked JVM.", interrupted);
    }
  }

  private String shown() {
    List<String> last = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
    return last.isEmpty() ? " It wrote nothing." : " It wrote:\n" + String.join("\n", last);
  }

  /** Kills it at once, as SIGKILL does; frozen ones too. Returns when it is gone. */
  public void kill() {
    process.toHandle().destroyForcibly();
    awaitExit(GOODBYE);
  }

  /** Asks it to end, by SIGTERM where there are signals. Does not wait. */
  public void terminate() {
    process.toHandle().destroy(); // Process.destroy() would close the pipes as well
  }

  /**
   * Freezes it by SIGSTOP, as a long pause of the garbage collector or of a virtual machine does:
   * its connections stay open.
   *
   * @throws UnsupportedOperationException where there are no signals: on Windows
   */
  public void freeze() {
    signal("STOP");
  }

  /** Lets a frozen one go on. */
  public void thaw() {
    signal("CONT");
  }

  private void signal(String name) {
    if (System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("win")) {
      throw new UnsupportedOperationException("This system cannot freeze processes.");
    }
    try {
      Process kill =
          new ProcessBuilder("kill", "-" + name, String.valueOf(pid()))
              .redirectErrorStream(true)
              .start();
      String said = new String(kill.getInputStream().readAllBytes(), UTF_8);
      if (kill.waitFor() != 0) {
        throw new IllegalStateException("kill -%s failed: %s".formatted(name, said));
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /**
   * Waits for its end.
   *
   * @return its exit value; 128 and the signal's number for one that a signal ended
   * @throws AssertionError if it runs on
   */
  public int awaitExit(Duration atMost) {
    try {
      if (process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (lines) {
      throw new AssertionError("The forked JVM ran on for %s.%s".formatted(atMost, shown()));
    }
  }

  private void read() {
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
      }
    } catch (IOException closed) {
      Thread.onSpinWait(); // it was killed while it wrote
    } finally {
      synchronized (lines) {
        ended = true;
        lines.notifyAll();
      }
    }
  }

  /** Kills it, if it lives, and waits until it is gone. Closing twice does nothing. */
  @Override
  public void close() {
    kill();
    try {
      Runtime.getRuntime().removeShutdownHook(killAtExit);
    } catch (IllegalStateException ending) {
      return; // this JVM ends, and the hook with it
    } finally {
      deleteArguments();
    }
  }

  private void deleteArguments() {
    try {
      Files.deleteIfExists(arguments);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Says what is to run. Belongs to one thread. */
  public static final class Builder {

    private final Class<?> main;
    private final List<String> arguments = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private final Map<String, String> environment = new TreeMap<>();

    private Builder(Class<?> main) {
      this.main = main;
    }

    /** Adds arguments of the main method. */
    public Builder arguments(String... more) {
      arguments.addAll(List.of(more));
      return this;
    }

    /** Adds an option of the JVM, say {@code -Xmx64m} or {@code -Dname=value}. */
    public Builder option(String option) {
      options.add(option);
      return this;
    }

    /** Sets a variable of its environment, which is otherwise this JVM's. */
    public Builder environment(String name, String value) {
      environment.put(name, value);
      return this;
    }

    /**
     * Starts it, with this JVM's Java and class path, and returns at once.
     *
     * @throws UncheckedIOException if the system refuses
     */
    public ForkedJvm start() {
      try {
        // A class path may be longer than a command line; and arguments may be secret.
        Path file = Files.createTempFile("forked-jvm", ".args");
        Files.write(file, javaArguments().stream().map(Builder::quote).toList());
        ProcessBuilder builder =
            new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@" + file);
        builder.environment().putAll(environment);
        return new ForkedJvm(builder.redirectErrorStream(true).start(), file);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    private List<String> javaArguments() {
      List<String> all = new ArrayList<>();
      all.add("-XX:TieredStopAtLevel=1"); // most children live for seconds
      all.addAll(options);
      all.add("-cp");
      all.add(System.getProperty("java.class.path"));
      all.add(ForkedMain.class.getName());
      all.add(main.getName());
      all.addAll(arguments);
      return all;
    }

    /** As the argument files of {@code java} want it. */
    private static String quote(String argument) {
      return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
  }
}
