package dev.skipjack.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All benchmarks, by name. Stateless; one should run at a time on a machine. */
public final class Benchmarks {

  private static final Map<String, Benchmark> ALL = new LinkedHashMap<>();

  static {
    ALL.put("drain", new Drain());
    ALL.put("single", new Single());
    ALL.put("enqueue", new Enqueue());
    ALL.put("bulk", new Bulk());
    ALL.put("dedup", Overhead.ofUniqueness());
    ALL.put("latency", new Latency());
    ALL.put("steady", new Steady());
    ALL.put("pinned", new Pinned());
    ALL.put("depth", new Depth());
    ALL.put("history", new History());
    ALL.put("seed", new Seed());
    ALL.put("footprint", new Footprint());
    ALL.put("starvation", new Starvation());
    ALL.put("idle", new Idle());
    ALL.put("overhead", Overhead.ofStatements());
  }

  private Benchmarks() {}

  /** Their names, in the order of the documentation. */
  public static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  /**
   * What one is about, in one line.
   *
   * @throws IllegalArgumentException if there is none of this name; the message is a sentence for
   *     the user
   */
  public static String purpose(String name) {
    return get(name).purpose();
  }

  /**
   * Refuses what cannot be run, before anything is started.
   *
   * @throws IllegalArgumentException the message is a sentence for the user
   */
  public static void check(String name, Options options) {
    options.requireOnly(name, get(name).settings());
  }

  /**
   * Runs one.
   *
   * @param url a PostgreSQL database in which the schemas {@code skipjack_bench} and {@code
   *     skipjack_bench_*} are dropped and recreated; empty: an embedded server is started, and
   *     stopped at the end
   * @param notes hears how far it is
   * @throws IllegalArgumentException as {@link #check}
   * @throws IllegalStateException if the queue did not do what it was given
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
          .put("options", options.asked())
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
          "There is no benchmark '%s'. There are %s."
              .formatted(name, String.join(", ", ALL.keySet())));
    }
    return benchmark;
  }
}
