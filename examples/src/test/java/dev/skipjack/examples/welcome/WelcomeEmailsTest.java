package dev.skipjack.examples.welcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class WelcomeEmailsTest {

  private static ExampleDatabase database;

  @BeforeAll
  static void open() {
    database = ExampleDatabase.open();
    WelcomeEmails.createTables(database.dataSource());
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @Test
  void aMailThatIsRefusedOnceIsSentByTheSecondAttempt() throws InterruptedException {
    Story story = new Story();
    JobId job = WelcomeEmails.run(database.dataSource(), story.out);

    assertThat(story.lines())
        .contains("failed: 452 mail server busy", "attempt 1: failed", "attempt 2: succeeded")
        .anyMatch(line -> line.startsWith("mail to ada-"));
    assertThat(count("skipjack.jobs_archive WHERE id = " + job)).isOne();
  }

  @Test
  void aSignUpThatFailsLeavesNoJob() {
    WelcomeEmails emails = new WelcomeEmails(database.dataSource(), (address, locale) -> {});
    JobId job = emails.signUp("grace@example.org", "en");
    assertThatThrownBy(() -> emails.signUp("grace@example.org", "en"))
        .isInstanceOf(DataAccessException.class);

    assertThat(count("skipjack.jobs WHERE id >= " + job)).isOne();
  }

  private static int count(String rows) {
    return DSL.using(database.dataSource(), SQLDialect.POSTGRES)
        .fetchSingle("SELECT count(*)::integer FROM " + rows)
        .get(0, Integer.class);
  }
}
