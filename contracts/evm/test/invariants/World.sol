// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {
    Authorization,
    AuthorizationKind,
    BatchGroup,
    BatchItem,
    Permit,
    Split,
    TokenConfig
} from "../../src/PaymentTypes.sol";
import {Observer} from "./Observer.sol";

/// @dev Everything that payers, operator, recovery, front-runners and the token's issuer can do, in any order.
contract World is Observer {
    struct Signed {
        Authorization authorization;
        uint256 key;
    }

    uint256 private constant PAYERS = 4;
    /// @dev Kept, because deriving an address from a key is the slowest thing here.
    address[PAYERS] private _payers;
    uint256 public minted;
    uint256 public stranded;
    uint256 public bare;
    uint256 public calls;
    uint64 private _nextCode = 1;
    uint64 private _nextPayout = 10;
    uint64[] private _payouts;
    address[] private _recipients;
    Signed[] private _strandings;
    Signed[] private _past;

    constructor() {
        setUp();
        minted = FUNDS;
        for (uint256 i; i < PAYERS; ++i) {
            _payers[i] = vm.addr(_payerKey(i));
            token.mint(_payer(i), 1e12);
            minted += 1e12;
        }
        _recipients = [merchant, partner, affiliate, feeTo];
        for (uint256 i; i < _recipients.length; ++i) {
            _registered[_recipients[i]] = true;
        }
        _payouts = [PLAIN, SPLIT];
    }

    modifier observed() {
        ++calls;
        _startCall();
        _;
        _endCall();
    }

    function paySingle(uint256 who, uint256 cap, uint256 settled, uint256 payoutSeed, bool receive_, bool inBytes)
        external
        observed
    {
        Signed memory x = _sign(who, cap);
        if (receive_) x.authorization.kind = AuthorizationKind.Receive;
        settled = _bound(settled, 1, x.authorization.value);
        uint64 id = _payout(payoutSeed);
        (uint8 v, bytes32 r, bytes32 s) = _sign(x.key, x.authorization);
        vm.prank(operator);
        if (inBytes) {
            bytes memory signature = abi.encodePacked(r, s, v);
            try processor.payWithSignatureUpto(address(token), _nextCode++, id, x.authorization, settled, signature) {}
                catch {}
        } else {
            try processor.payWithSignatureUpto(address(token), _nextCode++, id, x.authorization, settled, v, r, s) {}
                catch {}
        }
        _past.push(x);
    }

    function payPermit(uint256 who, uint256 cap, uint256 settled, uint256 payoutSeed, bool early) external observed {
        uint256 key = _payerKey(who);
        _addSigner(_payer(who));
        Permit memory p = _permit(key, _bound(cap, 1, 1e8), block.timestamp);
        if (early) {
            try token.permit(p.owner, address(processor), p.value, p.deadline, p.v, p.r, p.s) {} catch {}
        }
        vm.prank(operator);
        try processor.payWithPermit(address(token), _nextCode++, _payout(payoutSeed), p, _bound(settled, 1, p.value)) {}
            catch {}
    }

    function payInPerson(uint256 who, uint256 amount, uint64 code, uint256 payoutSeed) external observed {
        vm.startPrank(_payer(who));
        amount = _bound(amount, 1, 1e8);
        token.approve(address(processor), amount);
        try processor.pay(address(token), code % _nextCode, _payout(payoutSeed), amount) {} catch {}
        token.approve(address(processor), 0);
        vm.stopPrank();
    }

    /// @dev Two groups; some items are forged, repeat an old authorization or repeat an old intent code.
    function payBatch(uint256 seed) external observed {
        BatchGroup[] memory groups = new BatchGroup[](2);
        for (uint256 g; g < 2; ++g) {
            groups[g].payoutId = _payout(uint256(keccak256(abi.encode(seed, g))));
            groups[g].items = new BatchItem[](3);
            for (uint256 i; i < 3; ++i) {
                groups[g].items[i] = _batchItem(uint256(keccak256(abi.encode(seed, g, i))));
            }
        }
        vm.prank(operator);
        try processor.settleBatch(address(token), groups) {} catch {}
    }

    function _batchItem(uint256 seed) private returns (BatchItem memory item) {
        uint256 trick = seed % 8;
        Signed memory x = trick == 0 && _past.length != 0 ? _past[seed % _past.length] : _sign(seed >> 8, seed >> 16);
        _addSigner(x.authorization.from);
        uint64 code = trick == 1 ? uint64(seed >> 32) % _nextCode : _nextCode++;
        item = _item(x.key, x.authorization, code, 1 + (seed >> 64) % x.authorization.value);
        if (trick == 2) item.s = bytes32(uint256(5));
        if (trick == 3) item.amounts += 1 << 100;
        if (trick != 0) _past.push(x);
    }

    function strand(uint256 who, uint256 cap) external observed {
        Signed memory x = _sign(who, cap);
        try this.submitDirectly(x.authorization, _signature(x.key, x.authorization)) {
            stranded += x.authorization.value;
            _strandings.push(x);
            _past.push(x);
        } catch {}
    }

    function submitDirectly(Authorization calldata a, bytes calldata signature) external {
        _submitDirectly(a, signature, address(processor));
    }

    function settleStranded(uint256 which, uint256 settled, uint256 payoutSeed) external observed {
        if (_strandings.length == 0) return;
        which = which % _strandings.length;
        Signed memory x = _strandings[which];
        _addSigner(x.authorization.from);
        settled = _bound(settled, 1, x.authorization.value);
        bytes memory signature = _signature(x.key, x.authorization);
        vm.prank(recovery);
        try processor.settleStranded(
            address(token), _nextCode++, _payout(payoutSeed), x.authorization, settled, signature
        ) {
            _recovered(which);
        } catch {}
    }

    function returnStranded(uint256 which) external observed {
        if (_strandings.length == 0) return;
        which = which % _strandings.length;
        Signed memory x = _strandings[which];
        _addSigner(x.authorization.from);
        bytes memory signature = _signature(x.key, x.authorization);
        vm.prank(recovery);
        try processor.returnStranded(address(token), x.authorization, signature) {
            _recovered(which);
        } catch {}
    }

    function sendBare(uint256 who, uint256 amount) external observed {
        amount = _bound(amount, 1, 1e6);
        vm.prank(_payer(who));
        try token.transfer(address(processor), amount) {
            bare += amount;
        } catch {}
    }

    function returnBare(uint256 who, uint256 amount, bytes32 id) external observed {
        if (bare == 0) return;
        amount = _bound(amount, 1, bare);
        _addSigner(_payer(who));
        vm.prank(recovery);
        try processor.returnSurplus(address(token), _payer(who), amount, id) {
            bare -= amount;
        } catch {}
    }

    /// @dev The operator's key alone, trying what it should not be able to do.
    function abuseOperator(uint256 seed, address to) external observed {
        Signed memory x = _past.length == 0 ? _sign(seed, seed) : _past[seed % _past.length];
        bytes memory signature = _signature(x.key, x.authorization);
        vm.startPrank(operator);
        try processor.payWithSignature(address(token), _nextCode++, uint64(seed), x.authorization, signature) {}
            catch {}
        try processor.settleStranded(address(token), _nextCode++, PLAIN, x.authorization, 1, signature) {} catch {}
        try processor.returnSurplus(address(token), to, 1, bytes32(seed)) {} catch {}
        try processor.registerPayout(_nextPayout++, to, 0, new Split[](0)) {} catch {}
        if (processor.owed(address(token), to) == 0) try processor.withdraw(address(token), to) {} catch {}
        try processor.changeFeeRecipient(to) {} catch {}
        vm.stopPrank();
    }

    function block_(uint256 who) external observed {
        address account = _anybody(who);
        token.setBlacklisted(account, !token.isBlacklisted(account));
    }

    function withdraw(uint256 who) external observed {
        address account = _anybody(who);
        _addSigner(account);
        try processor.withdraw(address(token), account) {} catch {}
    }

    function newPayout(uint256 who, uint16 feeBps, uint16 bps) external observed {
        Split[] memory splits = new Split[](1);
        splits[0] = Split(_recipients[(who % 3 + 1) % 3], uint16(_bound(bps, 1, 9_000)));
        _register(_nextPayout, _recipients[who % 3], uint16(_bound(feeBps, 0, 1_000)), splits);
        _payouts.push(_nextPayout++);
    }

    function retirePayout(uint256 seed) external observed {
        vm.prank(registrar);
        try processor.retirePayout(_payout(seed)) {} catch {}
    }

    function wait(uint256 time) external observed {
        vm.warp(block.timestamp + _bound(time, 1, 12 hours));
    }

    function switchToken(bool on) external observed {
        vm.prank(admin);
        processor.configureToken(address(token), TokenConfig(on || calls % 4 != 0, 200_000, CAP, CAP));
    }

    function heldByPayers() external view returns (uint256 sum) {
        sum = _held(payer);
        for (uint256 i; i < PAYERS; ++i) {
            sum += _held(_payer(i));
        }
    }

    function heldByRecipients() external view returns (uint256 sum) {
        for (uint256 i; i < _recipients.length; ++i) {
            sum += _held(_recipients[i]);
        }
    }

    function heldByProcessor() external view returns (uint256) {
        return _processorBalance();
    }

    function totalOwed() external view returns (uint256) {
        return processor.totalOwed(address(token));
    }

    function sumOwed() external view returns (uint256 sum) {
        for (uint256 i; i < _recipients.length; ++i) {
            sum += processor.owed(address(token), _recipients[i]);
        }
        for (uint256 i; i < PAYERS; ++i) {
            sum += processor.owed(address(token), _payer(i));
        }
    }

    function _held(address account) private view returns (uint256) {
        return token.balanceOf(account) + processor.owed(address(token), account);
    }

    function _sign(uint256 who, uint256 cap) private returns (Signed memory x) {
        x.key = _payerKey(who);
        x.authorization = _authorization(_payer(who), _bound(cap, 1, 1e8));
        _addSigner(x.authorization.from);
    }

    function _recovered(uint256 which) private {
        stranded -= _strandings[which].authorization.value;
        _strandings[which] = _strandings[_strandings.length - 1];
        _strandings.pop();
    }

    function _payerKey(uint256 who) private pure returns (uint256) {
        return 11 + who % PAYERS;
    }

    function _payer(uint256 who) private view returns (address) {
        return _payers[who % PAYERS];
    }

    function _payout(uint256 seed) private view returns (uint64) {
        return seed % 16 == 15 ? uint64(seed) : _payouts[seed % _payouts.length];
    }

    function _anybody(uint256 who) private view returns (address) {
        who = who % (PAYERS + _recipients.length);
        return who < PAYERS ? _payer(who) : _recipients[who - PAYERS];
    }
}
