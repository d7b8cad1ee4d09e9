package dev.skipjack.spring.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.spring.Jobs;
import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.testkit.TestQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Two classes inherit this test and share its cached context. */
@SpringBootTest(properties = "shop.name=shared")
@AutoConfigureSkipjack
abstract class SharedContext {

  private static final Set<Integer> CONTEXTS = ConcurrentHashMap.newKeySet();

  @Autowired private Jobs jobs;
  @Autowired private TestQueue queue;

  @RepeatedTest(2)
  void jobsOfOtherTestsAreDeleted() {
    assertThat(queue).hasNoJobs();
    jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome("ada"));
    assertThat(queue).hasExactly(1);
    CONTEXTS.add(System.identityHashCode(queue));
    assertThat(CONTEXTS).hasSize(1);
  }
}
