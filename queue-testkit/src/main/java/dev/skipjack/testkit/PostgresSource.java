package dev.skipjack.testkit;

/** Where the server of this JVM's tests comes from. Only the one that was chosen is started. */
interface PostgresSource {

  /** Brings the server up, for as long as this JVM lives. */
  Server start();

  /** What it is, in messages: never with a password. */
  String name();

  /** What to do to get a server of another major version; a sentence. */
  String adviceFor(int major);

  /** A server that takes connections from a role that may create databases. */
  interface Server {

    /** The URL of one of its databases, with everything that a login needs. */
    String jdbcUrl(String database);

    /** The name of a database that exists and that no test uses. */
    String adminDatabase();

    /**
     * Whether no other JVM uses the server now, so that every test database found there is a
     * leftover.
     */
    boolean isOursAlone();

    /** Stops it, if it was started for this JVM; as it is of no use. */
    void stop();
  }
}
