package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Tests a real container. If Docker does not respond, the test is reported as skipped. */
class TestcontainersSourceIT {

  private static final int MAJOR = 16;

  @Test
  void aContainerHasTheRequestedMajor() throws SQLException {
    assumeTrue(DockerProbe.ofThisMachine().answers(), "Docker does not respond here");
    OptionalInt wanted = OptionalInt.of(MAJOR);
    TestServer server = TestServer.start(new TestcontainersSource(wanted), wanted);

    assertThat(server.isOursAlone()).isTrue();
    try (QueueDatabase database = QueueDatabase.on(server);
        Connection connection = database.connection()) {
      assertThat(connection.getMetaData().getDatabaseMajorVersion()).isEqualTo(MAJOR);
      assertThat(Jobs.query(connection, "SHOW fsync")).isEqualTo("off");
      Jobs.insert(connection, "welcome", "{}");
      QueueAssertions.assertThat(database).hasExactly(1);
    }
  }
}
