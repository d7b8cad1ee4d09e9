package dev.skipjack.spring.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.spring.Jobs;
import dev.skipjack.spring.test.SkipjackTest;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.TestQueue;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.core.env.Environment;

@SkipjackTest(properties = "shop.name=Skipjack")
class SkipjackSliceTest {

  @Test
  void containsTheHandlersAndNoOtherBeansOfTheApplication(
      @Autowired Jobs jobs,
      @Autowired Mails mails,
      @Autowired Payments payments,
      @Autowired ObjectProvider<Registration> others,
      @Autowired TestQueue queue,
      @Autowired JobRuns runs,
      @Autowired Environment environment) {
    jobs.enqueue(Payments.CHARGE, new Charge("slice", "accepted"));
    assertThat(runs.toTheEnd()).isEqualTo(2);
    assertThat(mails.sent()).contains("payer-of-slice");
    assertThat(payments.count()).isEqualTo(1);
    assertThat(queue).hasExactly(2);
    assertThat(others.getIfAvailable()).isNull();
    assertThat(environment.getProperty("shop.name")).isEqualTo("Skipjack");
  }

  /** Spring Boot 3 uses Jackson 2, and Spring Boot 4 uses Jackson 3. */
  @Test
  void payloadsAreConvertedWithTheJacksonOfSpringBoot(@Autowired JobQueue queue) {
    assertThat(queue.codec().getClass().getSimpleName())
        .isEqualTo(
            SpringBootVersion.getVersion().startsWith("3.") ? "JacksonCodec" : "Jackson3Codec");
  }

  @Nested
  @SkipjackTest(handlers = Mails.class)
  class OneHandler {

    @Test
    void containsOnlyTheNamedHandler(
        @Autowired ObjectProvider<Mails> mails, @Autowired ObjectProvider<Payments> payments) {
      assertThat(mails.getIfAvailable()).isNotNull();
      assertThat(payments.getIfAvailable()).isNull();
    }
  }
}
