package dev.skipjack.torture;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Changes the limit of {@link LimitedWork} and pauses its groups, and records the results. Only one
 * instance acts at a time. Used by one thread.
 */
final class LimitOperator {

  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  private final QueueAdmin admin;
  private final HistoryFile history;

  LimitOperator(QueueAdmin admin, HistoryFile history) {
    this.admin = admin;
    this.history = history;
  }

  /** Creates the limit and its queues. */
  void prepare() throws InterruptedException {
    change(LimitedWork.SETTINGS.get(0));
    for (String queue : LimitedWork.QUEUES) {
      repeat(
          () ->
              admin.configure(queue, QueueSettings.defaults().limitedBy(LimitedWork.LIMIT).fair()));
    }
  }

  /** Changes the limit, or pauses or resumes a group. */
  void act(RandomGenerator random) throws InterruptedException {
    String group = LimitedWork.group(random.nextInt(LimitedWork.GROUPS));
    switch (random.nextInt(3)) {
      case 0 -> change(LimitedWork.SETTINGS.get(random.nextInt(LimitedWork.SETTINGS.size())));
      case 1 -> pause(group);
      default -> resume(group);
    }
  }

  /** Resumes all groups and raises the limit, so that the queues drain soon. */
  void relax() throws InterruptedException {
    change(LimitedWork.HIGHEST);
    for (int number = 0; number < LimitedWork.GROUPS; number++) {
      resume(LimitedWork.group(number));
    }
  }

  private void change(LimitedWork.Setting setting) throws InterruptedException {
    history.write(EventType.LIMIT_REQUESTED, LimitedWork.LIMIT, 0, 0, setting.detail());
    if (repeat(() -> admin.limit(LimitedWork.LIMIT, setting.limit()))) {
      history.write(EventType.LIMIT_RETURNED, LimitedWork.LIMIT, 0, 0, setting.detail());
    }
  }

  private void pause(String group) throws InterruptedException {
    boolean all = true;
    for (String queue : LimitedWork.QUEUES) {
      all &= repeat(() -> admin.pauseGroup(queue, group));
    }
    if (all) {
      history.write(EventType.GROUP_PAUSED, Event.NONE, 0, 0, group);
    }
  }

  private void resume(String group) throws InterruptedException {
    history.write(EventType.GROUP_RESUME_REQUESTED, Event.NONE, 0, 0, group);
    for (String queue : LimitedWork.QUEUES) {
      repeat(() -> admin.resumeGroup(queue, group));
    }
  }

  /** Repeats a command until it returns normally. Returns whether it did so within the timeout. */
  private boolean repeat(Runnable command) throws InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (System.nanoTime() < deadline) {
      try {
        command.run();
        return true;
      } catch (StoreException failure) {
        history.write(EventType.UNKNOWN, Event.NONE, 0, 0, String.valueOf(failure));
        Thread.sleep(50);
      }
    }
    return false;
  }
}
