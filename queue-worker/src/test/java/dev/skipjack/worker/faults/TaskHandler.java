package dev.skipjack.worker.faults;

import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Does what each task requests, and prints its progress to standard output. */
final class TaskHandler implements Handler<Task> {

  /** A pause longer than any that occurs on a busy machine without freezing the process. */
  static final Duration FROZEN = Duration.ofMillis(1_500);

  static final int HALTED = 137;

  private final DataSource effects;

  TaskHandler(DataSource effects) {
    this.effects = effects;
  }

  @Override
  public Outcome handle(Task task, JobContext context) throws Exception {
    say("began", task);
    if (task.deed() == Task.Deed.HALT) {
      Runtime.getRuntime().halt(HALTED);
    }
    if (context.attempt() > 1) {
      return work(task, context);
    }
    return switch (task.deed()) {
      case HALT, HANG -> hang();
      case WORK -> work(task, context);
      case WORK_SLOWLY -> {
        Thread.sleep(20);
        yield work(task, context);
      }
      case HANG_AFTER_COMMIT -> {
        work(task, context);
        say("committed", task);
        yield hang();
      }
      case FREEZE_THEN_COMPLETE -> {
        awaitThaw();
        yield Outcome.completed();
      }
      case FREEZE_THEN_FAIL -> {
        awaitThaw();
        throw new IllegalStateException("a zombie's failure");
      }
      case FREEZE_THEN_SNOOZE -> {
        awaitThaw();
        yield Outcome.snooze(Duration.ZERO);
      }
      case FREEZE_THEN_WORK -> {
        awaitThaw();
        yield work(task, context);
      }
      case FREEZE_THEN_HANG -> {
        awaitThaw();
        yield hang();
      }
    };
  }

  private static void say(String what, Task task) {
    System.out.println(what + " " + task.number());
  }

  private Outcome work(Task task, JobContext context) throws SQLException {
    Thread.interrupted(); // otherwise the pool would refuse an interrupted zombie
    try (Connection connection = effects.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO effects VALUES (?, ?)")) {
        insert.setInt(1, task.number());
        insert.setLong(2, context.executionId().value());
        insert.execute();
        context.completeIn(connection);
        connection.commit();
      } catch (LeaseLostException lost) {
        say("refused", task);
        throw lost;
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    }
    return Outcome.completed();
  }

  private static Outcome hang() {
    while (true) {
      pause();
    }
  }

  /**
   * Waits until the process has been frozen and thawed, which is visible as a long step of the
   * clock.
   */
  private static void awaitThaw() {
    long before = System.nanoTime();
    while (System.nanoTime() - before < FROZEN.toNanos()) {
      before = System.nanoTime();
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(10);
    } catch (InterruptedException stubborn) {
      Thread.onSpinWait();
    }
  }
}
