package dev.skipjack.rivals;

import dev.skipjack.benchmarks.BenchmarkDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * graphile-worker, with the settings of the benchmark in its documentation. Its worker is a process
 * of Node.js. This process enqueues the jobs, with graphile-worker's SQL functions.
 */
final class GraphileWorker extends OtherQueue {

  static final String NAME = "graphile-worker";

  private static final List<String> FILES =
      List.of("package.json", "package-lock.json", "worker.mjs");
  private static final int CONNECTIONS = 10;
  private static final int BATCH = 1_000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String READY = "ready";
  private static final String STOPPED = "stopped";

  /** The lines of the process that are not starts of jobs. */
  private final BlockingQueue<String> responses = new LinkedBlockingQueue<>();

  private @Nullable Path program;
  private @Nullable Process process;
  private volatile @Nullable Starts starts;

  GraphileWorker(BenchmarkDatabase database) {
    super(database, "graphile", List.of("_private_jobs"), CONNECTIONS);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String setup() {
    return "version and settings in package.json and worker.mjs; jobs enqueued by add_job and add_jobs";
  }

  @Override
  public String wakeUp() {
    return "NOTIFY, another process";
  }

  @Override
  public String history() {
    return "none";
  }

  @Override
  public boolean takesPart(Phase phase) {
    return true;
  }

  @Override
  public boolean enqueuesElsewhere() {
    return true;
  }

  @Override
  public double pace() {
    return 15_000;
  }

  @Override
  public void create() throws SQLException, IOException, InterruptedException {
    createSchema();
    if (program == null) {
      program = install();
    }
    Process migration = node("migrate", Redirect.DISCARD);
    migration.getOutputStream().close();
    finish(migration, "node worker.mjs migrate");
  }

  /** Copies the program into a temporary folder, and installs the library there. */
  private static Path install() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("skipjack-graphile");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "delete-graphile"));
    for (String file : FILES) {
      try (InputStream in = GraphileWorker.class.getResourceAsStream("graphile/" + file)) {
        Files.copy(Objects.requireNonNull(in, file), folder.resolve(file));
      }
    }
    String[] install = {"npm", "ci", "--no-audit", "--no-fund", "--silent"};
    finish(start(folder, Redirect.DISCARD, install), String.join(" ", install));
    return folder;
  }

  private static Process start(Path folder, Redirect output, String... command) throws IOException {
    try {
      return new ProcessBuilder(command)
          .directory(folder.toFile())
          .redirectOutput(output)
          .redirectError(Redirect.INHERIT)
          .start();
    } catch (IOException missing) {
      throw new IOException(
          "%s could not start. %s needs Node.js with npm in the PATH.".formatted(command[0], NAME),
          missing);
    }
  }

  private static void finish(Process process, String command)
      throws IOException, InterruptedException {
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException("'%s' failed; see its output above.".formatted(command));
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private Process node(String mode, Redirect output) throws IOException {
    Path folder = Objects.requireNonNull(program, "create() was not called");
    Process node = start(folder, output, "node", "worker.mjs", mode);
    // The URL is not an argument, because it may contain a password, and the process list shows
    // arguments.
    send(node, database().jdbcUrl().replaceFirst("^jdbc:", ""));
    send(node, schema());
    return node;
  }

  private static void send(Process node, String line) throws IOException {
    node.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    node.getOutputStream().flush();
  }

  @Override
  public long unfinished() throws SQLException {
    return database().number("SELECT count(*) FROM " + schema() + "._private_jobs");
  }

  @Override
  public Session open(DataSource pool, @Nullable Starts receiver)
      throws IOException, InterruptedException {
    if (receiver == null) {
      return new Running(pool, null);
    }
    starts = receiver;
    Process node = worker();
    send(node, "work");
    await(READY);
    return new Running(pool, node);
  }

  /** Returns the process of the workers, which ends with this one. */
  private Process worker() throws IOException {
    if (process == null) {
      Process node = node("work", Redirect.PIPE);
      process = node;
      Thread reader = new Thread(() -> read(node), "bench-graphile");
      reader.setDaemon(true);
      reader.start();
    }
    return process;
  }

  private void await(String expected) throws IOException, InterruptedException {
    String response = responses.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (!expected.equals(response)) {
      throw new IOException(
          "The worker of %s is not %s: it printed '%s'; see its output above."
              .formatted(NAME, expected, response));
    }
  }

  /** Reads a line for each start and stop of a worker, and a line for each job. */
  private void read(Process node) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(node.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int space = line.indexOf(' ');
        Starts receiver = starts;
        if (space < 0) {
          responses.add(line);
        } else if (receiver != null) {
          receiver.add(
              Long.parseLong(line, 0, space, 10),
              Long.parseLong(line, space + 1, line.length(), 10));
        }
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } finally {
      responses.add("the end of its output");
    }
  }

  private final class Running implements Session {

    private final DataSource pool;
    private final @Nullable Process worker;

    private Running(DataSource pool, @Nullable Process worker) {
      this.pool = pool;
      this.worker = worker;
    }

    @Override
    public void enqueue(long n) throws SQLException {
      run("SELECT id FROM %s.add_job('noop', ?::json)".formatted(schema()), json(n));
    }

    @Override
    public void enqueueAll(long jobs) throws SQLException {
      for (long first = 1; first <= jobs; first += BATCH) {
        String specs =
            LongStream.rangeClosed(first, Math.min(first + BATCH - 1, jobs))
                .mapToObj(n -> "{\"identifier\":\"noop\",\"payload\":" + json(n) + "}")
                .collect(Collectors.joining(",", "[", "]"));
        run(
            "SELECT id FROM %1$s.add_jobs(ARRAY(SELECT json_populate_recordset(NULL::%1$s.job_spec, ?::json)))"
                .formatted(schema()),
            specs);
      }
    }

    private static String json(long n) {
      return "{\"n\":%d,\"text\":\"%s\"}".formatted(n, Payload.number(n).text());
    }

    private void run(String sql, String parameter) throws SQLException {
      try (Connection connection = pool.getConnection();
          PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, parameter);
        statement.execute();
      }
    }

    @Override
    public long childCpuNanos() {
      return worker == null
          ? 0
          : worker.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }

    @Override
    public void close() {
      if (worker != null) {
        try {
          send(worker, "stop");
          await(STOPPED);
        } catch (IOException failure) {
          throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
          worker.destroyForcibly();
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
