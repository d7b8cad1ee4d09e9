package dev.skipjack.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs a main class from this JVM's class path in a separate JVM, which the test may kill, freeze
 * and terminate.
 *
 * <pre>{@code
 * try (ForkedJvm worker = ForkedJvm.of(MyWorker.class).arguments(jdbcUrl).start()) {
 *   worker.awaitLine("begun", Duration.ofSeconds(20));
 *   worker.kill();
 * }
 * }</pre>
 *
 * <p>No child outlives the test: {@link #close()} kills it, and so does the end of this JVM. If
 * this JVM is killed, the child halts as soon as it finds its standard input closed, so the main
 * class must not read from standard input.
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

  /**
   * {@return a builder for a child that runs {@code main}, which need not be public}
   *
   * @param main the class with the main method
   */
  public static Builder of(Class<?> main) {
    return new Builder(main);
  }

  /** {@return the child's process id} */
  public long pid() {
    return process.pid();
  }

  /** {@return whether the child is running or frozen} */
  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * {@return what the child has written so far, including standard error, in the order of arrival}
   */
  public List<String> lines() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  /**
   * Waits until the child has written a line that contains {@code part}; lines written before count
   * too.
   *
   * @param part a part of the line
   * @param atMost how long to wait
   * @return the first such line
   * @throws AssertionError if no such line appears within the time, or the child ends without it
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
                  .formatted(ended ? "ended" : "kept running for " + atMost, what, shown()));
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

  /**
   * Kills the child immediately (by SIGKILL on systems with signals), even if it is frozen. Returns
   * when the child has ended.
   */
  public void kill() {
    process.toHandle().destroyForcibly();
    awaitExit(GOODBYE);
  }

  /** Asks the child to end, by SIGTERM on systems with signals. Does not wait. */
  public void terminate() {
    process.toHandle().destroy(); // Process.destroy() would close the pipes as well
  }

  /**
   * Freezes the child with SIGSTOP, which acts like a long pause of the garbage collector or of a
   * virtual machine: its connections stay open.
   *
   * @throws UnsupportedOperationException on systems without signals, such as Windows
   */
  public void freeze() {
    signal("STOP");
  }

  /** Lets a frozen child continue. */
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
   * Waits until the child ends.
   *
   * @param atMost how long to wait
   * @return its exit value; 128 plus the signal's number if a signal ended it
   * @throws AssertionError if it is still running after that time
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
      throw new AssertionError("The forked JVM kept running for %s.%s".formatted(atMost, shown()));
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
      Thread.onSpinWait(); // it was killed while writing
    } finally {
      synchronized (lines) {
        ended = true;
        lines.notifyAll();
      }
    }
  }

  /** Kills the child if it is alive, and waits until it has ended. Closing twice has no effect. */
  @Override
  public void close() {
    kill();
    try {
      Runtime.getRuntime().removeShutdownHook(killAtExit);
    } catch (IllegalStateException ending) {
      return; // this JVM is ending, and runs its hooks
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

  /** A builder for a child. Not thread-safe. */
  public static final class Builder {

    private final Class<?> main;
    private final List<String> arguments = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private final Map<String, String> environment = new TreeMap<>();
    private final List<Path> first = new ArrayList<>();
    private String classPath = System.getProperty("java.class.path");

    private Builder(Class<?> main) {
      this.main = main;
    }

    /**
     * Adds arguments for the main method.
     *
     * @param more further arguments
     * @return this builder
     */
    public Builder arguments(String... more) {
      arguments.addAll(List.of(more));
      return this;
    }

    /**
     * Adds a JVM option.
     *
     * @param option the option, for example {@code -Xmx64m} or {@code -Dname=value}
     * @return this builder
     */
    public Builder option(String option) {
      options.add(option);
      return this;
    }

    /**
     * Adds a folder of classes that the child searches before its class path.
     *
     * @param folder a folder of class files
     * @return this builder
     */
    public Builder classes(Path folder) {
      first.add(folder);
      return this;
    }

    /**
     * Sets a class path in place of this JVM's, for example with another version of a library. It
     * must contain the main class and this module.
     *
     * @param entries folders and jars, in the order of the search
     * @return this builder
     */
    public Builder classPath(List<Path> entries) {
      classPath = joined(entries.stream());
      return this;
    }

    /**
     * Sets an environment variable of the child, which inherits all others from this JVM.
     *
     * @param name the name of the variable
     * @param value its value
     * @return this builder
     */
    public Builder environment(String name, String value) {
      environment.put(name, value);
      return this;
    }

    /**
     * Starts the child with this JVM's {@code java} program. Returns immediately.
     *
     * @return the child
     * @throws UncheckedIOException if the operating system cannot start the process
     */
    public ForkedJvm start() {
      try {
        // A class path may be longer than a command line, and arguments may be secret.
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
      all.add(classPath());
      all.add(ForkedMain.class.getName());
      all.add(main.getName());
      all.addAll(arguments);
      return all;
    }

    private String classPath() {
      return joined(first.stream()) + (first.isEmpty() ? "" : File.pathSeparator) + classPath;
    }

    private static String joined(Stream<Path> entries) {
      return entries.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** Quotes an argument for an argument file of {@code java}. */
    private static String quote(String argument) {
      return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
  }
}
