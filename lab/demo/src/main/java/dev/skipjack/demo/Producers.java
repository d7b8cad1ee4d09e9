package dev.skipjack.demo;

import dev.skipjack.api.JobId;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * The senders of the webhooks: threads that send the deliveries of the input, some of them twice. A
 * bad line ends the input for all threads. Deliveries that were sent before it are kept.
 */
final class Producers {

  private static final int THREADS = 2;

  private final Lookahead input;
  private final DeliverySender sender;
  private final Progress progress;
  private final SecondSends secondSends;
  private final List<Thread> threads;
  private final AtomicInteger firstSendersAtWork = new AtomicInteger(THREADS);
  private final AtomicReference<BadInputException> badInput = new AtomicReference<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopped;

  Producers(Lookahead input, DeliverySender sender, Backlog backlog, Progress progress) {
    this.input = input;
    this.sender = sender;
    this.progress = progress;
    this.secondSends = new SecondSends(backlog, arrival -> send(arrival, DeliverySender.SECOND));
    this.threads =
        IntStream.rangeClosed(0, THREADS)
            .mapToObj(
                n ->
                    n == 0
                        ? new Thread(() -> guard(this::sendAgain), "demo-second-sends")
                        : new Thread(() -> guard(this::sendFirst), "demo-producer-" + n))
            .toList();
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /** Stops after the current sends. */
  void stop() throws InterruptedException {
    stopped = true;
    input.end();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Returns whether all sends are done. */
  boolean isDone() {
    return threads.stream().noneMatch(Thread::isAlive);
  }

  /** Returns the reason why the input was not read completely; empty if it was. */
  Optional<BadInputException> badInput() {
    return Optional.ofNullable(badInput.get());
  }

  /** Throws the exception that stopped the threads, if any. */
  void rethrowFailure() throws SQLException, InterruptedException {
    Throwable thrown = failure.get();
    if (thrown instanceof SQLException e) {
      throw e;
    } else if (thrown instanceof InterruptedException e) {
      throw e;
    } else if (thrown instanceof RuntimeException e) {
      throw e;
    } else if (thrown != null) {
      throw new IllegalStateException("Sending failed:  " + thrown, thrown);
    }
  }

  private void sendFirst() throws SQLException, InterruptedException {
    try {
      for (Optional<Arrival> next = input.next(); next.isPresent(); next = input.next()) {
        Arrival arrival = next.get();
        Optional<JobId> job = send(arrival, DeliverySender.FIRST);
        if (job.isPresent()) {
          sendAgain(arrival, job.get());
        }
      }
    } finally {
      firstSendersAtWork.decrementAndGet();
    }
  }

  private void sendAgain(Arrival arrival, JobId job) throws SQLException, InterruptedException {
    switch (sender.plan(arrival.delivery())) {
      case AT_ONCE -> send(arrival, DeliverySender.SECOND);
      case WHEN_DONE -> {
        boolean taken = false;
        while (!taken && !stopped) {
          taken = secondSends.offer(arrival, job);
        }
      }
      case NONE -> {}
    }
  }

  private void sendAgain() throws SQLException, InterruptedException {
    boolean last = false;
    while (!stopped && !(last && secondSends.isEmpty())) {
      // Read before the round, so that the round includes what the last first sender offered.
      last = firstSendersAtWork.get() == 0;
      secondSends.sendWhatIsDue();
    }
  }

  private Optional<JobId> send(Arrival arrival, String attempt) throws SQLException {
    Optional<JobId> job = sender.send(arrival, attempt);
    if (job.isPresent()) {
      progress.stored();
    } else {
      progress.refused();
    }
    return job;
  }

  private interface Work {
    void run() throws SQLException, InterruptedException;
  }

  private void guard(Work work) {
    try {
      work.run();
    } catch (BadInputException e) {
      badInput.compareAndSet(null, e);
      input.end();
    } catch (Throwable e) {
      // Also catches an Error: a sender that ends silently would leave deliveries out.
      failure.compareAndSet(null, e);
      stopped = true;
      input.end();
    }
  }
}
