package dev.skipjack.api.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.StoreException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnknownClaimExceptionTest {

  @Test
  void exceptionHasNoJobsAfterSerialization() throws Exception {
    StoreException lost = new StoreException("lost", new SQLException("lost", "08006"), true);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new UnknownClaimException(lost, List.of()));
    }

    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      UnknownClaimException read = (UnknownClaimException) in.readObject();
      assertThat(read.jobs()).isEmpty();
      assertThat(read.isOutcomeUnknown()).isTrue();
    }
  }
}
