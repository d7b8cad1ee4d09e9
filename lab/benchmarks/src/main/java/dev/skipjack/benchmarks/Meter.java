package dev.skipjack.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Measures time and resources from its creation to {@link #stop}. */
public final class Meter {

  private static final OperatingSystemMXBean JVM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final BenchmarkDatabase database;
  private final @Nullable Double serverMicros;
  private final long clientNanos;
  private final double wal;
  private final long begin;

  private Meter(BenchmarkDatabase database) throws SQLException {
    this.database = database;
    this.wal = database.walBytes();
    this.serverMicros = database.cpu().micros();
    this.clientNanos = JVM.getProcessCpuTime();
    this.begin = System.nanoTime();
  }

  public static Meter start(BenchmarkDatabase database) throws SQLException {
    return new Meter(database);
  }

  public double seconds() {
    return (System.nanoTime() - begin) / 1e9;
  }

  /** Returns the costs so far, per job. */
  public Costs stop(long jobs) throws SQLException {
    double seconds = seconds();
    long client = JVM.getProcessCpuTime() - clientNanos;
    Double server = database.cpu().micros();
    double count = Math.max(jobs, 1);
    return new Costs(
        seconds,
        server == null || serverMicros == null ? null : (server - serverMicros) / count,
        client / 1_000.0 / count,
        (database.walBytes() - wal) / count);
  }
}
