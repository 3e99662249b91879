# A custom operator library is loaded before the model; one that cannot be loaded is refused with the loader's reason.
source "$(dirname "$0")/expect.sh"

echo "not a library" >broken.so
refused 2 "broken.so" record --model "$model" --inputs prose="$prose" --device cpu --library broken.so --out golden.h5
refused 2 "nowhere.so" record --model "$model" --inputs prose="$prose" --device cpu --library nowhere.so --out golden.h5
no_file golden.h5
exit 0
