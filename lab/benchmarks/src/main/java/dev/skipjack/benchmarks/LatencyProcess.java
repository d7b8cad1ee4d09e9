package dev.skipjack.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs {@link LatencyProducer} in a separate process, for all measurements of a benchmark. */
public final class LatencyProcess implements AutoCloseable {

  private final BenchmarkDatabase database;
  private final Process process;
  private final Writer in;
  private final BufferedReader out;

  /** Starts the process; {@link #close} ends it. */
  public LatencyProcess(BenchmarkDatabase database) throws IOException {
    this.database = database;
    this.process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-Dorg.jooq.no-logo=true",
                    "-Dorg.jooq.no-tips=true",
                    "-cp",
                    System.getProperty("java.class.path"),
                    LatencyProducer.class.getName()))
            .redirectError(Redirect.INHERIT)
            .start();
    this.in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    // Not as an argument: the URL may contain a password, and the process list shows arguments.
    send(database.jdbcUrl());
  }

  /**
   * The jobs of one measurement.
   *
   * @param called when each enqueue was called, by job number; warm-up jobs have numbers up to 0
   * @param committed the commit times by job number
   * @param meter a meter that was started at the end of the warm-up
   */
  public record Produced(Map<Long, Instant> called, Map<Long, Instant> committed, Meter meter) {}

  /** Enqueues warm-up jobs, then {@code jobs} jobs, and returns when all are committed. */
  public Produced produce(LatencyProducer.Target target, long jobs, long rate)
      throws IOException, InterruptedException, SQLException {
    send(target + " " + jobs + " " + rate);
    Map<Long, Instant> called = new LinkedHashMap<>();
    Map<Long, Instant> committed = new LinkedHashMap<>();
    @Nullable Meter meter = null;
    while (committed.size() < jobs + LatencyProducer.warmUp(jobs)) {
      String line = out.readLine();
      if (line == null) {
        throw new IllegalStateException("The producer exited with code " + process.waitFor());
      }
      String[] words = line.split(" ", 3);
      long n = Long.parseLong(words[0]);
      called.put(n, Instant.parse(words[1]));
      committed.put(n, Instant.parse(words[2]));
      if (n == 0) {
        meter = Meter.start(database);
      }
    }
    return new Produced(called, committed, Objects.requireNonNull(meter, "no warm-up"));
  }

  private void send(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  @Override
  public void close() {
    process.destroy();
  }
}
