package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;

/** Where the handlers of running jobs are, on pages and in JSON. */
@QueueTest
class RunningStackTest {

  private static final String STACK =
      """
      \tat java.base/java.lang.Thread.sleep(Native Method)
      \tat com.shop.Mails.send(Mails.java:12)
      password=swordfish 4711\
      """;

  @Test
  void aLongAttemptShowsWhereItIs(QueueDatabase database) {
    try (Fixture fixture = new Fixture(database)) {
      JobId job = fixture.runWithStack(STACK);
      Browser admin = fixture.browser(Fixture.ADMIN);

      assertThat(admin.page("/running"))
          .contains("Mails.send (Mails.java:12)")
          .contains("java.base/java.lang.Thread.sleep(Native Method)");
      assertThat(admin.page("/jobs/" + job))
          .contains("Where the handler is")
          .contains("at com.shop.Mails.send(Mails.java:12)");
      assertThat(admin.page("/api/v1/jobs/" + job)).contains("com.shop.Mails.send(Mails.java:12)");
      assertThat(admin.page("/api/v1/running")).contains("com.shop.Mails.send(Mails.java:12)");
    }
  }

  @Test
  void onlyFramesAreShownToUsersWithoutPayloads(QueueDatabase database) {
    try (Fixture fixture = new Fixture(database)) {
      JobId job = fixture.runWithStack(STACK);

      for (String address :
          new String[] {"/running", "/jobs/" + job, "/api/v1/running", "/api/v1/jobs/" + job}) {
        assertThat(fixture.browser(Fixture.ADMIN).page(address))
            .doesNotContain("swordfish")
            .contains("4711");
        assertThat(fixture.browser(Fixture.VIEWER).page(address))
            .contains("Mails.java:12")
            .doesNotContain("4711");
      }
    }
  }
}
