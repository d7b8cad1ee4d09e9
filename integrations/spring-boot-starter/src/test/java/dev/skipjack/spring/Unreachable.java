package dev.skipjack.spring;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** A data source that must not be used. */
final class Unreachable extends AbstractDataSource {

  private Unreachable() {}

  static DataSource dataSource() {
    return new Unreachable();
  }

  @Override
  public Connection getConnection() throws SQLException {
    throw new SQLException("This data source must not be used.");
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }
}
