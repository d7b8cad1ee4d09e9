package dev.skipjack.store.jooq;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A proxy that uses TLS with clients and plain text with the server, because the test server has no
 * key. Accepts only clients that request TLS.
 */
final class TlsDoor implements AutoCloseable {

  private static final char[] PASSWORD = "changeit".toCharArray();

  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final PGSimpleDataSource behind = new PGSimpleDataSource();
  private final String jdbcUrl;
  private final SSLContext tls;

  /**
   * @param folder an empty folder for the key
   */
  TlsDoor(String jdbcUrl, Path folder) throws Exception {
    this.jdbcUrl = jdbcUrl;
    behind.setURL(jdbcUrl);
    tls = withOwnKey(folder.resolve("key.p12"));
    daemon(this::accept);
  }

  /** Returns a data source that connects through the proxy. */
  PGSimpleDataSource dataSource() {
    PGSimpleDataSource through = new PGSimpleDataSource();
    through.setURL(jdbcUrl);
    through.setServerNames(new String[] {listening.getInetAddress().getHostAddress()});
    through.setPortNumbers(new int[] {listening.getLocalPort()});
    through.setSslMode("require");
    through.setGssEncMode("disable");
    return through;
  }

  private static SSLContext withOwnKey(Path file)
      throws IOException, InterruptedException, GeneralSecurityException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), Charset.defaultCharset());
    if (keytool.waitFor() != 0) {
      throw new IOException(output);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        open.add(client);
        daemon(() -> serve(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        Socket server = new Socket(behind.getServerNames()[0], behind.getPortNumbers()[0])) {
      open.add(server);
      new DataInputStream(client.getInputStream()).readLong(); // the request for TLS
      client.getOutputStream().write('S');
      try (SSLSocket encrypted =
          (SSLSocket) tls.getSocketFactory().createSocket(client, null, client.getPort(), true)) {
        encrypted.setUseClientMode(false);
        encrypted.startHandshake();
        daemon(() -> pass(encrypted, server));
        pass(server, encrypted);
      }
    } catch (IOException closed) {
      // the client gets an error
    }
  }

  private static void pass(Socket from, Socket to) {
    byte[] bytes = new byte[4_096];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
        out.write(bytes, 0, read);
        out.flush();
      }
      to.close();
    } catch (IOException closed) {
      // the other direction ends too
    }
  }

  private static void daemon(Runnable body) {
    Thread thread = new Thread(body, "tls-door");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
