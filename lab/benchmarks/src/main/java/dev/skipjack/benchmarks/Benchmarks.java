package dev.skipjack.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All benchmarks, by name. Stateless. Run only one at a time on a machine. */
public final class Benchmarks {

  private static final Map<String, Benchmark> ALL = new LinkedHashMap<>();

  static {
    ALL.put("drain", new Drain());
    ALL.put("single", new Single());
    ALL.put("enqueue", new Enqueue());
    ALL.put("bulk", new Bulk());
    ALL.put("latency", new Latency());
    ALL.put("steady", new Steady());
    ALL.put("pinned", new Pinned());
    ALL.put("depth", new Depth());
    ALL.put("history", new History());
    ALL.put("seed", new Seed());
    ALL.put("footprint", new Footprint());
    ALL.put("processes", new Processes());
    ALL.put("idle", new Idle());
    ALL.put("schedules", new Schedules());
    ALL.put("ordering", new Ordering());
    ALL.put("outbox", new OutboxEvents());
    ALL.put("limits", new Limits());
    ALL.put("dashboard", new DashboardPages());
    ALL.put("steps", new DurableSteps());
    for (Benchmark provided : ServiceLoader.load(Benchmark.class)) {
      ALL.put(provided.getClass().getSimpleName().toLowerCase(Locale.ROOT), provided);
    }
  }

  private Benchmarks() {}

  /** Returns the names in the order of docs/benchmarks.md. */
  public static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  /**
   * Returns a one-line description of a benchmark.
   *
   * @throws IllegalArgumentException if no benchmark has this name; the message is meant for the
   *     user
   */
  public static String purpose(String name) {
    return get(name).purpose();
  }

  /**
   * Checks the name and the options, before anything is started.
   *
   * @throws IllegalArgumentException if no benchmark has this name, or an option does not apply to
   *     it; the message is meant for the user
   */
  public static void check(String name, Options options) {
    options.requireOnly(name, get(name).settings());
    get(name).check(options);
  }

  /**
   * Runs a benchmark.
   *
   * @param url a PostgreSQL database in which the schemas {@code skipjack_bench} and {@code
   *     skipjack_bench_*} are dropped and recreated; if empty, an embedded server is started, and
   *     stopped at the end
   * @param notes receives progress messages
   * @throws IllegalArgumentException as for {@link #check}
   * @throws IllegalStateException if jobs are missing at the end or were not completed
   */
  public static Report run(
      String name, Options options, Optional<String> url, Consumer<String> notes) throws Exception {
    check(name, options);
    try (BenchmarkDatabase database = BenchmarkDatabase.open(url, BenchmarkDatabase.PARTITIONS)) {
      return run(name, options, database, notes);
    }
  }

  static Report run(
      String name, Options options, BenchmarkDatabase database, Consumer<String> notes)
      throws Exception {
    database.inSchema("TRUNCATE @job_queues");
    try {
      return get(name)
          .run(database, options, notes)
          .put("options", options.requested())
          .put("server", database.settings())
          .put("client", client());
    } finally {
      database.closePools();
    }
  }

  private static Map<String, Object> client() {
    Map<String, Object> client = new LinkedHashMap<>();
    client.put("java", System.getProperty("java.version"));
    client.put("processors", Runtime.getRuntime().availableProcessors());
    client.put("heap_mb", Runtime.getRuntime().maxMemory() >> 20);
    return client;
  }

  private static Benchmark get(String name) {
    @Nullable Benchmark benchmark = ALL.get(name);
    if (benchmark == null) {
      throw new IllegalArgumentException(
          "Unknown benchmark '%s'. The benchmarks are %s."
              .formatted(name, String.join(", ", ALL.keySet())));
    }
    return benchmark;
  }
}
