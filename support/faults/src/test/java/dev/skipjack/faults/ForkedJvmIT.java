package dev.skipjack.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ForkedJvmIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /**
   * Prints its arguments, an environment variable and a property, then ticks until it is killed.
   */
  static final class Ticking {

    private Ticking() {}

    public static void main(String[] args) throws InterruptedException {
      System.out.println(
          Arrays.toString(args) + System.getenv("SAID") + System.getProperty("told"));
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> System.out.println("terminated in order")));
      while (true) {
        System.out.println("tick");
        Thread.sleep(5);
      }
    }
  }

  /** Starts a child and prints the child's process id. */
  static final class Parent {

    private Parent() {}

    public static void main(String[] args) throws InterruptedException {
      ForkedJvm child = ForkedJvm.of(Ticking.class).start();
      child.awaitLine("tick", PATIENCE);
      System.out.println("child " + child.pid());
      Thread.sleep(PATIENCE.toMillis() * 10);
    }
  }

  /** Ends on its own, with an exception if it has no arguments. */
  static final class Failing {

    private Failing() {}

    public static void main(String[] args) {
      if (args.length == 0) {
        throw new IllegalStateException("on purpose");
      }
    }
  }

  @Test
  void aMainClassRunsWithArgumentsOptionsAndEnvironment() {
    try (ForkedJvm jvm =
        ForkedJvm.of(Ticking.class)
            .arguments("a b", "c\\\"d", "")
            .option("-Dtold=yes")
            .environment("SAID", "hello")
            .start()) {
      assertThat(jvm.awaitLine("[", PATIENCE)).isEqualTo("[a b, c\\\"d, ]helloyes");
      assertThat(jvm.isAlive()).isTrue();
    }
  }

  @Test
  void aKilledChildEndsAtOnceAndWithoutItsHooks() {
    try (ForkedJvm jvm = ticking()) {
      jvm.kill();
      assertThat(jvm.isAlive()).isFalse();
      assertThat(jvm.lines()).doesNotContain("terminated in order");
    }
  }

  @Test
  void aTerminatedChildRunsItsHooks() {
    try (ForkedJvm jvm = ticking()) {
      jvm.terminate();
      assertThat(jvm.awaitExit(PATIENCE)).isEqualTo(143);
      jvm.awaitLine("terminated in order", PATIENCE);
    }
  }

  @Test
  void aFrozenChildDoesNothingUntilItIsThawed() throws InterruptedException {
    try (ForkedJvm jvm = ticking()) {
      jvm.freeze();
      int before = -1;
      while (jvm.lines().size() != before) { // output in the pipe may still arrive
        before = jvm.lines().size();
        Thread.sleep(100);
      }
      assertThat(jvm.isAlive()).isTrue();
      jvm.thaw();
      while (jvm.lines().size() < before + 20) {
        Thread.sleep(5);
      }
      jvm.freeze(); // close() also ends a frozen child
    }
  }

  @Test
  void aWaitThatFailsShowsWhatWasWritten() {
    try (ForkedJvm jvm = ForkedJvm.of(Failing.class).start()) {
      assertThatThrownBy(() -> jvm.awaitLine("never", PATIENCE))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("ended without a line with 'never'")
          .hasMessageContaining("IllegalStateException: on purpose");
      assertThat(jvm.awaitExit(PATIENCE)).isEqualTo(1);
    }
    try (ForkedJvm jvm = ticking()) {
      assertThatThrownBy(() -> jvm.awaitLine("never", Duration.ofMillis(20)))
          .hasMessageContaining("kept running for PT0.02S");
      assertThatThrownBy(() -> jvm.awaitExit(Duration.ofMillis(20)))
          .isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void theChildOfAKilledParentEndsToo() throws Exception {
    long child;
    try (ForkedJvm parent = ForkedJvm.of(Parent.class).start()) {
      child = Long.parseLong(parent.awaitLine("child ", PATIENCE).substring("child ".length()));
      assertThat(ProcessHandle.of(child)).isPresent();
      parent.kill();
    }
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (isAlive(child) && System.nanoTime() - deadline < 0) {
      Thread.sleep(10);
    }
    assertThat(isAlive(child)).isFalse();
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  private static ForkedJvm ticking() {
    ForkedJvm jvm = ForkedJvm.of(Ticking.class).start();
    jvm.awaitLine("tick", PATIENCE);
    return jvm;
  }
}
