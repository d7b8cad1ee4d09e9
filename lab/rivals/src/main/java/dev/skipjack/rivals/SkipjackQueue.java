package dev.skipjack.rivals;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.BenchmarkDatabase;
import dev.skipjack.benchmarks.LatencyProducer.Target;
import dev.skipjack.benchmarks.Noop;
import dev.skipjack.benchmarks.WakeUpListener;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Skipjack with its defaults and 8 handlers. */
final class SkipjackQueue implements Contender {

  static final String NAME = "skipjack";

  /** The mode in which an enqueue may start its job in a free slot. */
  static final String IN_ONE_PROCESS = "skipjack, one process";

  /** The mode that keeps the audit of a finished job but not its row in the archive. */
  static final String NO_ARCHIVE = "skipjack, no archive";

  private static final int HANDLERS = 8;
  private static final int CONNECTIONS = 10;
  private static final int BATCH = 1_000;

  private final BenchmarkDatabase database;
  private final String name;

  private SkipjackQueue(BenchmarkDatabase database, String name) {
    this.database = database;
    this.name = name;
  }

  /** Another process usually enqueues the jobs, and NOTIFY wakes the worker. */
  static SkipjackQueue inSeveralProcesses(BenchmarkDatabase database) {
    return new SkipjackQueue(database, NAME);
  }

  /** The process of the worker enqueues, as with db-scheduler's immediate execution. */
  static SkipjackQueue inOneProcess(BenchmarkDatabase database) {
    return new SkipjackQueue(database, IN_ONE_PROCESS);
  }

  /** Finished jobs are not archived; the audit is kept. */
  static SkipjackQueue withoutArchive(BenchmarkDatabase database) {
    return new SkipjackQueue(database, NO_ARCHIVE);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String setup() {
    return "defaults, %d handlers, %s".formatted(HANDLERS, history());
  }

  @Override
  public String wakeUp() {
    return enqueuesElsewhere() ? "NOTIFY, another process" : "direct start, same process";
  }

  @Override
  public String history() {
    return name.equals(NO_ARCHIVE) ? "audit" : "audit, archive";
  }

  @Override
  public boolean takesPart(Phase phase) {
    return switch (name) {
      case IN_ONE_PROCESS -> phase == Phase.PICKUP;
      case NO_ARCHIVE -> phase == Phase.DRAIN;
      default -> true;
    };
  }

  @Override
  public boolean enqueuesElsewhere() {
    return !name.equals(IN_ONE_PROCESS);
  }

  @Override
  public @Nullable Target producer() {
    return enqueuesElsewhere() ? Target.SKIPJACK : null;
  }

  @Override
  public DataSource pool() {
    return database.pool(CONNECTIONS);
  }

  @Override
  public double pace() {
    return 15_000;
  }

  /** Does nothing, because the benchmark database already contains the tables. */
  @Override
  public void create() {}

  @Override
  public void empty() throws SQLException {
    database.archive(!name.equals(NO_ARCHIVE), Noop.TYPE.queue());
    database.empty();
    database.settle();
  }

  @Override
  public void settle() throws SQLException {
    database.settle();
  }

  @Override
  public long unfinished() throws SQLException {
    return database.number("SELECT count(*) FROM @jobs");
  }

  @Override
  public Session open(DataSource pool, @Nullable Starts starts) {
    JobQueue queue = database.queue(pool, BenchmarkDatabase.SCHEMA);
    if (starts == null) {
      return new Running(queue, new WakeUpListener(queue)::close);
    }
    Worker worker =
        Worker.on(queue)
            .name("bench")
            .handle(
                Noop.TYPE,
                (payload, context) -> {
                  starts.add(payload.n());
                  return Outcome.completed();
                })
            .queue(Noop.TYPE.queue(), HANDLERS)
            .start();
    return new Running(queue, worker::close);
  }

  /**
   * @param stop ends the worker or, in a producer, the receiver of wake-ups. Without a receiver, an
   *     enqueue would cost the server less
   */
  private record Running(JobQueue queue, Runnable stop) implements Session {

    @Override
    public void enqueue(long n) {
      queue.enqueue(Noop.TYPE, Noop.number(n));
    }

    @Override
    public void enqueueAll(long jobs) {
      for (long first = 1; first <= jobs; first += BATCH) {
        List<Noop> batch =
            LongStream.rangeClosed(first, Math.min(first + BATCH - 1, jobs))
                .mapToObj(Noop::number)
                .toList();
        queue.enqueueAll(Noop.TYPE, batch);
      }
    }

    @Override
    public void close() {
      stop.run();
    }
  }
}
