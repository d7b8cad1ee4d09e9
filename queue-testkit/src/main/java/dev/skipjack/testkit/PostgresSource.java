package dev.skipjack.testkit;

/** A source of the server for this JVM's tests. Only the chosen one is started. */
interface PostgresSource {

  /** Starts the server, for as long as this JVM lives. */
  Server start();

  /** Describes the server in messages, never with a password. */
  String name();

  /** A sentence that explains how to get a server of another major version. */
  String adviceFor(int major);

  /** A server that accepts connections from a role that may create databases. */
  interface Server {

    /** Returns the URL of one of its databases, with everything that a login needs. */
    String jdbcUrl(String database);

    /** The name of a database that exists and that no test uses. */
    String adminDatabase();

    /**
     * Whether no other JVM uses the server now, so that every test database found there is a
     * leftover.
     */
    boolean isOursAlone();

    /** Stops the server if it was started for this JVM, because it cannot be used. */
    void stop();
  }
}
