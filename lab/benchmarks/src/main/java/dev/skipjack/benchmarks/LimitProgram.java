package dev.skipjack.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.JobQueue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A process that claims jobs under a limit from bare loops, like a worker with one claim loop whose
 * jobs all take the same time. It reads the URL from the first line of standard input, then lines
 * with a {@link Way}, a number of slots and the milliseconds of a job. It prints {@link #STARTED},
 * runs until the line {@link #STOP}, completes its jobs, and prints {@link #STOPPED}.
 */
public final class LimitProgram {

  static final String STARTED = "started";
  static final String STOP = "stop";
  static final String STOPPED = "stopped";

  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final long FIRST_WAIT = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_WAIT = TimeUnit.MILLISECONDS.toNanos(8);

  /** A way to limit the running jobs over all processes. */
  enum Way {
    LOCK_AND_COUNT {
      @Override
      List<Execution> claim(Connection transaction, WorkerId worker, int room) throws SQLException {
        return LockAndCount.claim(
            transaction, worker, Limits.LIMIT, Noop.TYPE.queue(), room, LEASE);
      }
    },

    PERMIT_ROWS {
      @Override
      List<Execution> claim(Connection transaction, WorkerId worker, int room) throws SQLException {
        return PermitRows.claim(
            transaction, worker, Noop.TYPE.queue(), room, LEASE, PermitRows.COMPARISON);
      }
    };

    /** Claims up to {@code room} jobs in the transaction of the connection. */
    abstract List<Execution> claim(Connection transaction, WorkerId worker, int room)
        throws SQLException;
  }

  /** A job that runs until a time of {@link System#nanoTime()}. */
  private record Running(Execution execution, long until) {}

  private final JobStore store;
  private final Connection transaction;
  private final WorkerId worker = WorkerId.boot("bench");
  private final Way way;
  private final int slots;
  private final long nanos;
  private final Deque<Running> running = new ArrayDeque<>();

  private LimitProgram(JobStore store, Connection transaction, Way way, int slots, long nanos) {
    this.store = store;
    this.transaction = transaction;
    this.way = way;
    this.slots = slots;
    this.nanos = nanos;
  }

  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(Objects.requireNonNull(in.readLine(), "no URL"));
      pool.setMaximumPoolSize(2);
      JobStore store =
          JobQueue.builder(pool).schema(BenchmarkDatabase.SCHEMA).wakeUps(false).build().store();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        AtomicBoolean stopped = new AtomicBoolean();
        try (Connection connection = pool.getConnection()) {
          connection.setAutoCommit(false);
          LimitProgram program =
              new LimitProgram(
                  store,
                  connection,
                  Way.valueOf(words[0]),
                  Integer.parseInt(words[1]),
                  TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[2])));
          Thread reader = stopOnNextLine(in, stopped);
          System.out.println(STARTED);
          program.run(stopped);
          reader.join();
        }
        System.out.println(STOPPED);
      }
    }
  }

  /** Starts a thread that stops the loop after the next line, or when the input ends. */
  private static Thread stopOnNextLine(BufferedReader in, AtomicBoolean stopped) {
    Thread reader =
        new Thread(
            () -> {
              try {
                String unused = in.readLine();
              } catch (IOException ended) {
                // The benchmark has ended.
              } finally {
                stopped.set(true);
              }
            },
            "bench-stop");
    reader.start();
    return reader;
  }

  private void run(AtomicBoolean stopped) throws SQLException, InterruptedException {
    long wait = FIRST_WAIT;
    long nextClaim = System.nanoTime();
    while (!stopped.get() || !running.isEmpty()) {
      boolean ended = complete(System.nanoTime());
      long now = System.nanoTime();
      int room = slots - running.size();
      if (!stopped.get() && room > 0 && (ended || now - nextClaim >= 0)) {
        int claimed = claim(room);
        wait = claimed > 0 || ended ? FIRST_WAIT : Math.min(2 * wait, LONGEST_WAIT);
        nextClaim = claimed > 0 ? System.nanoTime() : System.nanoTime() + wait;
        if (claimed > 0) {
          continue;
        }
      }
      long next = running.isEmpty() ? now + FIRST_WAIT : running.getFirst().until;
      if (!stopped.get() && room > 0) {
        next = Math.min(next, nextClaim);
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(LONGEST_WAIT, Math.max(0, next - System.nanoTime())));
    }
  }

  private int claim(int room) throws SQLException {
    List<Execution> claimed = way.claim(transaction, worker, room);
    transaction.commit();
    long until = System.nanoTime() + nanos;
    claimed.forEach(execution -> running.add(new Running(execution, until)));
    return claimed.size();
  }

  /** Completes the jobs that have run for their time. Returns whether there were any. */
  private boolean complete(long now) {
    List<Execution> ended = new ArrayList<>();
    while (!running.isEmpty() && running.getFirst().until - now <= 0) {
      ended.add(running.removeFirst().execution);
    }
    List<Execution> left = ended;
    while (!left.isEmpty()) {
      List<Execution> asked = left;
      List<Verdict> verdicts = store.complete(asked);
      left = new ArrayList<>();
      for (int i = 0; i < asked.size(); i++) {
        if (verdicts.get(i) == Verdict.BUSY) { // another claim has locked the row for a moment
          left.add(asked.get(i));
        }
      }
    }
    return !ended.isEmpty();
  }
}
