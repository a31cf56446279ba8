# frozen_string_literal: true

# For AsciiDoctor: listings of redis become <redis-playground> elements.
#
#   asciidoctor -r ./redis_playground.rb -a playground=https://example.org/playground/embed.js page.adoc
#
# [source,redis]      continues the story of the listings above it, and opens where its own steps begin
# [source%new,redis]  begins a story of its own
# [source%skip,redis] stays a listing
# [source#NAME,lua]   is the script that EVAL $NAME runs

require 'asciidoctor'
require 'asciidoctor/extensions'

class RedisPlaygroundListings < Asciidoctor::Extensions::TreeProcessor
  STEP = /^(?:[A-Za-z][\w-]{0,23}>>?(?: |$)|@ *(?:\+|at |restart|replica|failover))/

  def process(document)
    listings = document.find_by(context: :listing).select { |block| block.style == 'source' }
    scripts = listings.select { |block| block.attr('language') == 'lua' && block.id }
    named = scripts.map { |block| fence("lua #{block.id}", block.source) }.join
    before = []
    listings.each do |block|
      next if block.attr('language') != 'redis' || block.option?('skip')

      before = [] if block.option?('new')
      step = before.join("\n").scan(STEP).length
      before << block.source
      story = named + before.map { |text| fence('redis', text) }.join
      put(block, element(step, story, block.source))
    end
    document
  end

  private

  def fence(language, text)
    "```#{language}\n#{text}\n```\n"
  end

  def element(step, story, shown)
    <<~HTML
      <redis-playground step="#{step}">
      <pre hidden>#{escaped(story)}</pre>
      <pre><code class="language-redis">#{escaped(shown)}</code></pre>
      </redis-playground>
    HTML
  end

  def escaped(text)
    text.gsub('&', '&amp;').gsub('<', '&lt;').gsub('>', '&gt;').gsub('"', '&quot;')
  end

  def put(block, html)
    among = block.parent.blocks
    among[among.index(block)] = create_pass_block(block.parent, html, {})
  end
end

class RedisPlaygroundScript < Asciidoctor::Extensions::DocinfoProcessor
  use_dsl
  at_location :head

  def process(document)
    address = document.attr('playground')
    %(<script type="module" src="#{address}"></script>) if address
  end
end

Asciidoctor::Extensions.register do
  tree_processor RedisPlaygroundListings
  docinfo_processor RedisPlaygroundScript
end
