-- The words inside names, by which the search finds orders: what the indexes of 0001 do not find, since they begin with the
-- first character of a name.

-- A row is an order number or the name of a customer from a later word on, to its end: Ada Maria Lund has the rows Maria Lund
-- and Lund. A word begins behind a separator, which is white space or a mark: KERAMIK-30418 has the row 30418. Which marks
-- these are the trigger below says, and src/engine/json/search/words.ts says it again. An order has at most four rows:
--
-- * none from the beginning of a name, and none for a single letter of A to Z, a digit or another character of one byte
-- * of the number those of the two longest words
-- * of the customer those of the longest words, so that there are four in all. Of equally long words the earlier one counts
--
-- A row ends before a line break, and at most 255 characters of a name are read, up to the first U+0000. So exports lose nothing.
-- Two words of an order that differ in the case of A to Z only are one row. No index leads from the order to its words: a
-- change finds them by the former name. So a word costs one row written.
CREATE TABLE order_words (
  word      TEXT NOT NULL COLLATE NOCASE,
  -- seq of the order. No foreign key: it would read the order once more for each word.
  order_seq INTEGER NOT NULL,
  PRIMARY KEY (word, order_seq DESC)
) STRICT, WITHOUT ROWID;

-- An INSERT into this table says that an order has other names than before. NULL: it had, or has, none. It stays empty.
CREATE TABLE order_names_inbox (
  order_seq         INTEGER NOT NULL,
  old_order_number  TEXT,
  old_customer_name TEXT,
  order_number      TEXT,
  customer_name     TEXT
) STRICT;

-- An INSERT into this table adds a word, or removes it. It stays empty. With it the statement that finds words stands once in
-- the program of a write, which SQLite compiles in a third of the time.
CREATE TABLE order_words_inbox (
  order_seq INTEGER NOT NULL,
  word      TEXT NOT NULL,
  is_new    INTEGER NOT NULL
) STRICT;

CREATE TRIGGER order_words_written BEFORE INSERT ON order_words_inbox
BEGIN
  DELETE FROM order_words WHERE word = new.word AND order_seq = new.order_seq AND NOT new.is_new;
  INSERT INTO order_words (word, order_seq) SELECT new.word, new.order_seq WHERE new.is_new ON CONFLICT DO NOTHING;
  SELECT RAISE(IGNORE);
END;

-- Of four texts, the old names and the new ones: each separator becomes a space, the words between spaces an array, whose
-- lengths tell where each word begins. A word that stays writes nothing.
CREATE TRIGGER order_names_divided BEFORE INSERT ON order_names_inbox
BEGIN
  INSERT INTO order_words_inbox (order_seq, word, is_new)
  SELECT new.order_seq, word, max(is_new) FROM (
    SELECT is_new, word, row_number() OVER (PARTITION BY is_new ORDER BY is_name, place) AS place FROM (
      SELECT is_new, is_name, substr(rest, 1, instr(replace(rest, char(13), char(10)) || char(10), char(10)) - 1) AS word,
        row_number() OVER (PARTITION BY is_new, is_name ORDER BY length(piece) DESC, at) AS place
      FROM (
        SELECT is_new, is_name, piece, at, substr(text, at) AS rest FROM (
          SELECT is_new, is_name, text, value AS piece,
            sum(length(value) + 1) OVER (PARTITION BY is_new, is_name ORDER BY key) - length(value) AS at
          FROM (
            SELECT is_new, is_name, text,
              replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
              replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
              replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
              replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
              replace(replace(replace(replace(replace(replace(replace(replace(replace(text,
              '!', ' '), '#', ' '), '$', ' '), '%', ' '), '&', ' '), '(', ' '), ')', ' '), '*', ' '), '+', ' '),
              ',', ' '), '-', ' '), '.', ' '), '/', ' '), ':', ' '), '<', ' '), '=', ' '), '>', ' '), '?', ' '),
              '@', ' '), '[', ' '), ']', ' '), '^', ' '), '_', ' '), '`', ' '), '{', ' '), '|', ' '), '}', ' '),
              '~', ' '), char(9), ' '), char(10), ' '), char(13), ' '), char(34), ' '), char(59), ' '),
              char(92), ' '), char(160), ' '), char(161), ' '), char(171), ' '), char(183), ' '), char(187), ' '),
              char(191), ' '), char(1470), ' '), char(1548), ' '), char(8201), ' '), char(8208), ' '),
              char(8209), ' '), char(8211), ' '), char(8212), ' '), char(8220), ' '), char(8221), ' '),
              char(8222), ' '), char(8226), ' '), char(8230), ' '), char(8239), ' '), char(12288), ' '),
              char(12289), ' '), char(12539), ' '), char(65288), ' '), char(65289), ' '), char(65292), ' '),
              char(65293), ' '), char(65295), ' ') AS spaced
            FROM (
              SELECT 0 AS is_new, 0 AS is_name, substr(new.old_order_number, 1, 255) AS text
              UNION ALL SELECT 0, 1, substr(new.old_customer_name, 1, 255)
              UNION ALL SELECT 1, 0, substr(new.order_number, 1, 255)
              UNION ALL SELECT 1, 1, substr(new.customer_name, 1, 255))
            WHERE text IS NOT NULL
          ), json_each('[' || replace(json_quote(spaced), ' ', '","') || ']')
        ) WHERE at > 1 AND octet_length(piece) > 1
      )
    ) WHERE is_name OR place <= 2
  ) WHERE place <= 4
  GROUP BY word COLLATE NOCASE HAVING min(is_new) = max(is_new) ORDER BY max(is_new);
  SELECT RAISE(IGNORE);
END;

CREATE TRIGGER orders_added_words AFTER INSERT ON orders
BEGIN
  INSERT INTO order_names_inbox (order_seq, order_number, customer_name)
    VALUES (new.seq, new.order_number, new.customer_name);
END;

CREATE TRIGGER orders_changed_words AFTER UPDATE OF order_number, customer_name ON orders
WHEN (old.order_number, old.customer_name) IS NOT (new.order_number, new.customer_name)
BEGIN
  INSERT INTO order_names_inbox (order_seq, old_order_number, old_customer_name, order_number, customer_name)
    VALUES (new.seq, old.order_number, old.customer_name, new.order_number, new.customer_name);
END;

-- No code deletes an order, but the SQL of an operator may.
CREATE TRIGGER orders_removed_words AFTER DELETE ON orders
BEGIN
  INSERT INTO order_names_inbox (order_seq, old_order_number, old_customer_name)
    VALUES (old.seq, old.order_number, old.customer_name);
END;

-- The newest of the orders that are there: millions would take longer than a statement may. The same statement with other
-- limits adds older ones, and changes nothing where it has run before.
INSERT INTO order_names_inbox (order_seq, order_number, customer_name)
  SELECT seq, order_number, customer_name FROM orders WHERE seq > (SELECT coalesce(max(seq), 0) - 200000 FROM orders);
