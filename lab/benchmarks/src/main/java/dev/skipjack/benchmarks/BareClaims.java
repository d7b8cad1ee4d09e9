package dev.skipjack.benchmarks;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.Execution;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Reads the executions that a bare claim returns. */
final class BareClaims {

  private BareClaims() {}

  static List<Execution> read(PreparedStatement claim) throws SQLException {
    List<Execution> claimed = new ArrayList<>();
    try (ResultSet row = claim.executeQuery()) {
      while (row.next()) {
        claimed.add(
            new Execution(
                new JobId(row.getLong("id")),
                new ExecutionId(row.getLong("current_execution_id")),
                row.getObject("started_at", OffsetDateTime.class).toInstant()));
      }
    }
    return claimed;
  }
}
