package dev.skipjack.demo;

import dev.skipjack.api.JobId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A buffer of second sends that wait until the job of the first send has ended. Any thread may add
 * sends; one thread sends them. The capacity of the buffer is small, because it holds complete
 * deliveries; threads wait while it is full.
 */
final class SecondSends {

  private static final int MOST = 500;
  private static final long PAUSE_MILLIS = 20;

  /** Sends a delivery again. */
  interface Send {
    void accept(Arrival arrival) throws SQLException;
  }

  private record Waiting(Arrival arrival, JobId job) {}

  private final Backlog backlog;
  private final Send send;
  private final BlockingQueue<Waiting> offered = new ArrayBlockingQueue<>(MOST);
  private final List<Waiting> waiting = new ArrayList<>();

  SecondSends(Backlog backlog, Send send) {
    this.backlog = backlog;
    this.send = send;
  }

  /** Adds a send. Waits briefly while the buffer is full, and returns false if it stays full. */
  boolean offer(Arrival arrival, JobId job) throws InterruptedException {
    return offered.offer(new Waiting(arrival, job), 5 * PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Sends the deliveries that are due; pauses if there are none. */
  void sendWhatIsDue() throws SQLException, InterruptedException {
    offered.drainTo(waiting, MOST - waiting.size());
    Set<JobId> alive =
        waiting.isEmpty() ? Set.of() : backlog.amongst(waiting.stream().map(Waiting::job).toList());
    boolean sent = false;
    for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
      Waiting next = all.next();
      if (!alive.contains(next.job())) {
        send.accept(next.arrival());
        all.remove();
        sent = true;
      }
    }
    if (!sent) {
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  /** Returns whether no send is waiting. Called by the sending thread. */
  boolean isEmpty() {
    return waiting.isEmpty() && offered.isEmpty();
  }
}
