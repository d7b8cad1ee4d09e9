package dev.skipjack.steps;

import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobHandlers;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests steps as a parameter of handler methods. */
@QueueTest
class StepsArgumentTest {

  static final JobType<String> FLOW = JobType.of("flow", String.class);

  static final class Flows {
    private final List<String> ran = new ArrayList<>();

    @JobHandler("flow")
    String flow(Steps steps, String payload, JobContext job) throws Exception {
      assertThat(steps).isSameAs(Steps.of(job));
      steps.run("once", () -> ran.add(payload));
      steps.sleep("nap", Duration.ofDays(1));
      return payload;
    }

    List<String> ran() {
      return ran;
    }
  }

  public static final class Transactional {
    @JobHandler(kind = "flow", transactional = true)
    public void flow(Steps steps, String payload) {}
  }

  @Test
  void methodTakesTheStepsOfItsJob(QueueDatabase database) {
    JobQueue queue = JobQueue.on(database.dataSource());
    Flows flows = new Flows();
    Worker.Builder worker = Worker.on(queue).queue("default", 1);
    JobHandlers.builder().type(FLOW).scan(flows).build().addTo(worker);
    JobId job = queue.enqueue(FLOW, "x");
    assertThat(JobRuns.with(worker.build(), database).toTheEnd()).isEqualTo(2);
    assertThatJob(database, job).isCompleted();
    assertThat(flows.ran()).containsExactly("x");
  }

  @Test
  void transactionalMethodIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(new Transactional()))
        .withMessageContaining(
            "flow(Steps, String) of kind 'flow' is transactional. It cannot take")
        .withMessageContaining("Remove transactional = true, and use runIn");
  }

  @Test
  void messageNamesTheArtifactIfTheClassIsMissing() throws Exception {
    Object handlers =
        new WithoutSteps()
            .loadClass(Transactional.class.getName())
            .getDeclaredConstructor()
            .newInstance();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(handlers))
        .withMessageContaining("it uses the class dev.skipjack.steps.Steps, which is missing")
        .withMessageEndingWith("Add the artifact that contains it: skipjack-steps.");
  }

  /** Loads handlers of its own, and does not find steps. */
  private static final class WithoutSteps extends ClassLoader {

    WithoutSteps() {
      super(StepsArgumentTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.equals(Steps.class.getName())) {
        throw new ClassNotFoundException(name);
      }
      if (!name.equals(Transactional.class.getName())) {
        return super.loadClass(name, resolve);
      }
      try (InputStream bytes = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] content = bytes.readAllBytes();
        return defineClass(name, content, 0, content.length);
      } catch (IOException unreadable) {
        throw new ClassNotFoundException(name, unreadable);
      }
    }
  }
}
