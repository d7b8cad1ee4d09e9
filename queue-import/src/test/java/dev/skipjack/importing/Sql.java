package dev.skipjack.importing;

import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/** Runs SQL for a test. {@code %s} stands for the schema of the queue. */
record Sql(QueueDatabase database) {

  List<String> query(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.replace("%s", database.schema()))) {
      List<String> texts = new ArrayList<>();
      while (row.next()) {
        texts.add(row.getString(1));
      }
      return texts;
    }
  }

  void execute(String... sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      for (String one : sql) {
        statement.execute(one.replace("%s", database.schema()));
      }
    }
  }

  /** Returns all rows of tables as text. */
  List<String> rows(String... tables) throws SQLException {
    return query(
        Stream.of(tables)
                .map("SELECT '%1$s ' || one::text AS line FROM %1$s AS one"::formatted)
                .reduce((one, other) -> one + " UNION ALL " + other)
                .orElseThrow()
            + " ORDER BY line");
  }

  /** Returns a source of sessions that can be killed. */
  PGSimpleDataSource unpooled() {
    PGSimpleDataSource unpooled = new PGSimpleDataSource();
    unpooled.setUrl(database.jdbcUrl());
    return unpooled;
  }

  void awaitBlockedSession() throws SQLException {
    String blocked =
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    while (query(blocked).isEmpty()) {
      Thread.onSpinWait();
    }
  }
}
