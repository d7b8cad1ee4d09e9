package dev.skipjack.cli;

import dev.skipjack.migrations.Roles;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code skipjack roles}. */
@Command(
    name = "roles",
    description = {
      "Print the SQL that creates roles with least privilege for producers, workers, operators and viewers. The command connects only with --yes, and then runs the SQL.",
      "Run it as the owner of the queue's tables, who must be allowed to create roles. Run it again after each migration."
    })
final class RolesCommand extends DatabaseAction {

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      defaultValue = Roles.DEFAULT_PREFIX,
      description = "Prefix of the names of the roles. Default: ${DEFAULT-VALUE}.")
  private String prefix;

  @Option(names = "--yes", description = "Run the SQL in the database.")
  private boolean yes;

  @SuppressWarnings("NullAway.Init") // picocli sets an option that has a default
  RolesCommand() {
    super(Access.WRITE);
  }

  @Override
  boolean connects() {
    return yes;
  }

  @Override
  int runWithoutDatabase(String schema, Output output) {
    String sql = Roles.sql(schema, prefix);
    Map<String, @Nullable Object> members = members(schema);
    members.put("sql", sql);
    output.done(sql.strip(), members);
    return ExitCodes.DONE;
  }

  @Override
  int run(KeptConnection connections, String schema, Output output) throws SQLException {
    apply(connections, Roles.sql(schema, prefix));
    Map<String, @Nullable Object> members = members(schema);
    members.put("applied", true);
    output.done(
        "Created or updated the roles %s_sql_producer, %s_producer, %s_worker, %s_operator and %s_viewer."
            .formatted(prefix, prefix, prefix, prefix, prefix),
        members);
    return ExitCodes.DONE;
  }

  private Map<String, @Nullable Object> members(String schema) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("schema", schema);
    members.put("prefix", prefix);
    return members;
  }

  private static void apply(KeptConnection connections, String sql) throws SQLException {
    try (Connection connection = connections.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      try {
        statement.execute(sql);
        connection.commit();
      } catch (SQLException failed) {
        connection.rollback();
        throw failed;
      } finally {
        connection.setAutoCommit(true);
      }
    }
  }
}
