package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;

/**
 * The build runs the statement tests on two server versions. This test checks that each run uses
 * the requested one.
 */
@QueueTest
class ServerVersionStatementTest {

  @Test
  void serverHasTheMajorVersionThatTheBuildRequested(QueueDatabase database) {
    String major = System.getProperty("skipjack.test.major");
    assumeThat(major).isNotNull();
    assertThat(new Fixture(database).value("SHOW server_version")).startsWith(major + ".");
  }
}
